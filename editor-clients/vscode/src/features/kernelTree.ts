/** The view "GPU kernels": those of the workspace by class, file, time or confidence. */

import * as vscode from "vscode";

import { duration, percent, shownName } from "../figures";
import {
    CLASS_NAMES,
    EVERYTHING,
    classOf,
    grouped,
    nanoseconds,
    type ClassName,
    type Filter,
    type Group,
    type Grouping,
    type Order,
    type WorkspaceKernel,
} from "../kernels/listing";
import { type KernelStore } from "../kernels/store";
import { type At } from "../protocol";
import { type Session } from "../server/session";
import { code, plain, prose } from "../text";
import { nameOf, reveal } from "./details";

const VIEW = "roofline.kernels";
const STATE = "roofline.kernels.arrangement";

/** A shape for each class, so that colour says nothing alone. */
export const SHAPES: Record<ClassName, readonly [string, string]> = {
    CB: ["circuit-board", "charts.yellow"],
    BB: ["arrow-swap", "charts.blue"],
    undecided: ["question", "descriptionForeground"],
};

interface Arrangement {
    by: Grouping;
    order: Order;
    filter: Filter;
}

const FIRST: Arrangement = { by: "class", order: "time", filter: EVERYTHING };

export function registerKernelTree(session: Session, store: KernelStore, state: vscode.Memento): vscode.Disposable {
    const tree = new KernelTree(store, state.get<Arrangement>(STATE, FIRST));
    const view = vscode.window.createTreeView<Node>(VIEW, { treeDataProvider: tree, showCollapseAll: true });
    const arrange = async (change: Partial<Arrangement> | undefined) => {
        if (change) {
            tree.arrange(change);
            await state.update(STATE, tree.arrangement);
            update();
        }
    };
    const update = () => {
        view.message = session.client ? tree.message() : "";
        view.description = tree.summary();
    };
    const needed = () => {
        if (view.visible) {
            void store.need();
        }
    };
    return vscode.Disposable.from(
        view,
        tree,
        store.onDidChange(update),
        store.shownBy(() => view.visible),
        view.onDidChangeVisibility(needed),
        session.onStatus(needed),
        vscode.commands.registerCommand("roofline.refreshKernels", () => store.read()),
        vscode.commands.registerCommand("roofline.arrangeKernels", async () => { await arrange(await askArrangement(tree.arrangement)); }),
        vscode.commands.registerCommand("roofline.filterKernels", async () => { await arrange(await askFilter(tree.arrangement.filter)); }),
        vscode.commands.registerCommand("roofline.openKernel", openKernel),
        ...["explainKernel", "compareGpus"].map((name) =>
            vscode.commands.registerCommand(`roofline.kernels.${name}`, async (node: Node) => {
                const at = "kernel" in node ? await openKernel(node) : undefined;
                await vscode.commands.executeCommand(`roofline.${name}`, at?.uri, at && { line: at.line, character: at.character });
            }),
        ),
    );
}

/** A group, or a kernel in it. */
export type Node = Group | WorkspaceKernel;

/** Exported for its tests. */
export class KernelTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    private readonly following: vscode.Disposable;
    readonly onDidChangeTreeData = this.changed.event;

    constructor(
        private readonly store: Pick<KernelStore, "kernels" | "notes" | "reading" | "onDidChange">,
        public arrangement: Arrangement,
    ) {
        this.following = store.onDidChange(() => { this.changed.fire(); });
    }

    arrange(change: Partial<Arrangement>): void {
        this.arrangement = { ...this.arrangement, ...change };
        this.changed.fire();
    }

    getChildren(node?: Node): Node[] {
        if (node) {
            return "kernels" in node ? node.kernels : [];
        }
        const { by, order, filter } = this.arrangement;
        const groups = grouped(this.store.kernels, by, order, filter);
        return by === "none" ? (groups[0]?.kernels ?? []) : groups;
    }

    getTreeItem(node: Node): vscode.TreeItem {
        return "kernels" in node ? this.groupItem(node) : this.kernelItem(node);
    }

    dispose(): void {
        this.following.dispose();
        this.changed.dispose();
    }

    /** What is filtered out or missing, in sentences. */
    message(): string {
        const { filter } = this.arrangement;
        const all = this.store.kernels.length;
        const shown = this.shown().length;
        const words = [
            ...(filter.classes.length < EVERYTHING.classes.length ? [filter.classes.map((each) => CLASS_NAMES[each].toLowerCase()).join(" or ")] : []),
            ...(filter.leastNs > 0 ? [`at least ${duration(filter.leastNs)}`] : []),
        ];
        const filtered = words.length ? [`${shown} of ${all} kernels: ${words.join(", ")}.`] : [];
        const none = this.store.reading === "read" && all === 0 ? ["There is no GPU kernel in this workspace."] : [];
        const told = [...filtered, ...none, ...this.store.notes];
        return told.join(" ");
    }

    /** `14 kernels`, while files are read with an ellipsis. */
    summary(): string {
        const count = this.shown().length;
        return `${count} kernel${count === 1 ? "" : "s"}${this.store.reading === "reading" ? " ..." : ""}`;
    }

    private shown(): WorkspaceKernel[] {
        const { order, filter } = this.arrangement;
        return grouped(this.store.kernels, "none", order, filter).flatMap((group) => group.kernels);
    }

    private groupItem({ key, kernels }: Group): vscode.TreeItem {
        const isClass = key in CLASS_NAMES;
        const item = new vscode.TreeItem(isClass ? CLASS_NAMES[key as ClassName] : "", vscode.TreeItemCollapsibleState.Expanded);
        item.id = key;
        item.description = String(kernels.length);
        if (isClass) {
            const [shape, colour] = SHAPES[key as ClassName];
            item.iconPath = new vscode.ThemeIcon(shape, new vscode.ThemeColor(colour));
        } else {
            const uri = vscode.Uri.parse(key);
            item.label = plain(vscode.workspace.asRelativePath(uri, false));
            item.iconPath = vscode.ThemeIcon.File;
            item.resourceUri = uri;
        }
        return item;
    }

    private kernelItem(each: WorkspaceKernel): vscode.TreeItem {
        const { kernel, uri, gpu } = each;
        const { time_ns, confidence } = kernel.prediction;
        const name = classOf(each);
        const time = time_ns === null ? "time unknown" : duration(time_ns);
        const sure = confidence === null ? "" : `${percent(confidence)} sure`;
        const item = new vscode.TreeItem(plain(shownName(kernel.base_name)));
        item.id = `${uri} ${kernel.name_range.line} ${kernel.name}`;
        item.description = [time, ...(sure ? [sure] : [])].join(" · ");
        const [shape, colour] = SHAPES[name];
        item.iconPath = new vscode.ThemeIcon(shape, new vscode.ThemeColor(colour));
        item.tooltip = new vscode.MarkdownString(
            [
                code(kernel.name),
                `**${CLASS_NAMES[name]}**${sure && `, ${sure}`} · ${time} on ${prose(gpu)}`,
                prose(`${vscode.workspace.asRelativePath(vscode.Uri.parse(uri))}:${kernel.name_range.line}`),
            ].join("\n\n"),
        );
        item.accessibilityInformation = { label: `${plain(shownName(kernel.base_name))}, ${CLASS_NAMES[name]}, ${item.description}` };
        item.command = { command: "roofline.openKernel", title: "Go to Kernel", arguments: [each] };
        item.contextValue = "kernel";
        return item;
    }
}

/** Show a kernel's line, and say where its name stands. */
async function openKernel({ kernel, uri }: WorkspaceKernel): Promise<At> {
    const place = nameOf(kernel, await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)));
    await reveal(place);
    return { uri: place.uri.toString(), line: place.range.start.line, character: place.range.start.character };
}

interface Choice extends vscode.QuickPickItem {
    change?: Partial<Arrangement>;
}

async function askArrangement(now: Arrangement): Promise<Partial<Arrangement> | undefined> {
    const head = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
    const item = (label: string, change: Partial<Arrangement>): Choice => {
        const present = change.by === now.by || change.order === now.order;
        return { label, change, ...(present ? { description: "now" } : {}) };
    };
    const picked = await vscode.window.showQuickPick<Choice>(
        [
            head("groups"),
            item("By class", { by: "class" }),
            item("By file", { by: "file" }),
            item("No groups", { by: "none" }),
            head("order"),
            item("The longest first", { order: "time" }),
            item("The least sure first", { order: "confidence" }),
            item("By name", { order: "name" }),
        ],
        { title: "Arrange GPU kernels" },
    );
    return picked?.change;
}

async function askFilter(now: Filter): Promise<Partial<Arrangement> | undefined> {
    const names = Object.keys(CLASS_NAMES) as ClassName[];
    const items = names.map((name) => ({ label: CLASS_NAMES[name], picked: now.classes.includes(name), name }));
    const picked = await vscode.window.showQuickPick(items, { title: "Classes of kernels to show", canPickMany: true });
    if (!picked) {
        return undefined;
    }
    const least = await vscode.window.showInputBox({
        title: "Leave out kernels that take less than",
        placeHolder: "10 us, 1.5 ms; nothing: show all",
        value: now.leastNs > 0 ? duration(now.leastNs) : "",
        validateInput: (text) => (nanoseconds(text) === null ? "A number and a unit: ns, us, ms or s" : undefined),
    });
    if (least === undefined) {
        return undefined;
    }
    const classes = picked.length ? picked.map((each) => each.name) : names;
    return { filter: { classes, leastNs: nanoseconds(least) ?? 0 } };
}
