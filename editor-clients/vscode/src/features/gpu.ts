/** The GPU in the status bar, and the list to choose another from. */

import * as vscode from "vscode";

import { PRECISIONS, digits, ridges, shortName } from "../figures";
import { isSource, sourceEditor } from "../documents";
import { gpusRequest, type GpuChoice, type GpuChoices } from "../protocol";
import { type Session, type Status } from "../server/session";
import { SECTION, change } from "../settings";
import { plain, prose } from "../text";

const WORDS: Record<Exclude<Status, "running" | "idle">, [string, string, string]> = {
    untrusted: ["$(shield) Roofline", "Not started: the workspace is not trusted", "workbench.trust.manage"],
    starting: ["$(loading~spin) Roofline", "The server is starting", "roofline.showOutput"],
    missing: ["$(warning) Roofline", "The program roofline-lsp was not found. Click to set it up", "roofline.setUp"],
    stopped: ["$(error) Roofline", "The server has stopped. Click to start it again", "roofline.restartServer"],
};

/** As the server takes the GPU of the machine that it runs on. */
export const THIS_MACHINE = "auto";
/** The heading of the machine's own GPU in the list. */
const MACHINE = "this machine";
export const RECENT = "roofline.recentGpus";
const MOST_RECENT = 5;

export function registerGpu(session: Session, state: vscode.Memento): vscode.Disposable {
    const item = vscode.window.createStatusBarItem("roofline.gpu", vscode.StatusBarAlignment.Right, 90);
    item.name = "Roofline GPU";
    const update = () => {
        void show(item, session);
    };
    update();
    return vscode.Disposable.from(
        item,
        vscode.commands.registerCommand("roofline.selectGpu", async (name?: unknown) => {
            await selectGpu(session, state, typeof name === "string" ? name : undefined);
        }),
        session.onStatus(update),
        vscode.window.onDidChangeActiveTextEditor(update),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration(SECTION)) {
                update();
            }
        }),
        session.onAnalysed(update),
    );
}

async function show(item: vscode.StatusBarItem, session: Session): Promise<void> {
    const status = session.status;
    const active = vscode.window.activeTextEditor;
    if (status === "idle" || (active && !isSource(active.document))) {
        item.hide();
        return;
    }
    if (status !== "running") {
        [item.text, item.tooltip, item.command] = WORDS[status];
        item.show();
        return;
    }
    const choices = await choicesOf(session, { only: "current" });
    const gpu = choices?.gpus.find((each) => each.name === choices.current);
    item.command = { command: "roofline.selectGpu", title: "Select GPU" };
    item.text = "$(chip) Roofline";
    item.tooltip = "Choose the GPU that kernels are judged for";
    if (choices && gpu) {
        item.text = `$(chip) ${plain(shortName(gpu.name))}`;
        item.tooltip = tooltip(gpu, choices);
        item.accessibilityInformation = { label: `Roofline: kernels are judged for ${plain(gpu.name)}` };
    }
    item.show();
}

function tooltip(gpu: GpuChoice, { clock, note }: GpuChoices): vscode.MarkdownString {
    const rows = Object.entries(gpu.ridge).flatMap(([name, ridge]) =>
        ridge === null ? [] : [`| ${PRECISIONS[name] ?? plain(name)} | ${digits(ridge)} |`],
    );
    return new vscode.MarkdownString(
        [
            `**${prose(gpu.name)}**`,
            `${prose(gpu.architecture)} · ${digits(gpu.memory_bandwidth_gbs)} GB/s · ${clock} clock`,
            ["| | ridge, op/B |", "| :-- | --: |", ...rows].join("\n"),
            ...(note ? [prose(note)] : []),
            "Click to judge kernels for another GPU",
        ].join("\n\n"),
    );
}

/** The GPUs to choose from, or the present one alone, which is quick enough to ask for often. */
export async function choicesOf(session: Session, which: { only?: "current" } = {}): Promise<GpuChoices | undefined> {
    const editor = sourceEditor();
    const about = editor ? { textDocument: { uri: editor.document.uri.toString() } } : {};
    try {
        return await session.client?.sendRequest(gpusRequest, { ...about, ...which });
    } catch (error) {
        session.log.debug(`no GPUs: ${String(error)}`); // as while the server ends
        return undefined;
    }
}

interface Item extends vscode.QuickPickItem {
    gpu?: GpuChoice;
    /** The GPU of this machine, whichever that is. */
    auto?: boolean;
}

/**
 * The GPUs as a list to pick from: the present one, those of this machine, those chosen lately, then each maker's.
 * `auto`: with one that stands for whichever GPU this machine has.
 */
export function itemsOf({ gpus, current, machine }: GpuChoices, recent: readonly string[] = [], { auto = true } = {}): Item[] {
    const isHere = (gpu: GpuChoice) => machine?.includes(gpu.name) ?? false;
    const item = (gpu: GpuChoice): Item => ({
        label: plain(gpu.name),
        description: `${isHere(gpu) ? "in this machine · " : ""}ridge ${ridges(gpu)}`,
        detail: `${plain(gpu.architecture)} · ${digits(gpu.memory_bandwidth_gbs)} GB/s`,
        gpu,
    });
    const separator = (label: string): Item => ({ label: plain(label), kind: vscode.QuickPickItemKind.Separator });
    const now = gpus.filter((gpu) => gpu.name === current);
    const present = gpus.filter((gpu) => isHere(gpu) && gpu.name !== current);
    const lately = recent.flatMap((name) => gpus.filter((gpu) => gpu.name === name && name !== current && !isHere(gpu)));
    const above = [...now, ...present, ...lately];
    const here: Item = { label: "GPU of this machine", description: whichHere(machine), auto: true };
    const makers = [...new Set(gpus.map((gpu) => gpu.vendor))];
    return [
        ...(now.length ? [separator("current"), ...now.map(item)] : []),
        ...(auto || present.length ? [separator(MACHINE)] : []),
        ...(auto ? [here] : []),
        ...present.map(item),
        ...(lately.length ? [separator("recent"), ...lately.map(item)] : []),
        ...makers.flatMap((maker) => {
            const others = gpus.filter((gpu) => gpu.vendor === maker && !above.includes(gpu));
            return others.length ? [separator(maker), ...others.map(item)] : [];
        }),
    ];
}

/** Which GPU that of this machine is. */
function whichHere(machine: string[] | null | undefined): string {
    if (!machine) {
        return "looked for whenever kernels are judged";
    }
    const [first] = machine;
    if (first === undefined) {
        return "none that is known was found: the default is taken";
    }
    return machine.length === 1 ? plain(first) : `${plain(first)}, the first of ${machine.length}`;
}

/** The GPUs chosen lately with another one, the newest first. */
export function withRecent(recent: readonly string[], name: string): string[] {
    return [name, ...recent.filter((each) => each !== name)].slice(0, MOST_RECENT);
}

async function selectGpu(session: Session, state: vscode.Memento, name?: string): Promise<void> {
    if (name !== undefined) {
        await change("gpu", name);
        return;
    }
    const recent = state.get<string[]>(RECENT, []);
    const choices = await choicesOf(session);
    if (!choices) {
        return;
    }
    const picked = await vscode.window.showQuickPick(itemsOf(choices, recent), {
        title: "The GPU that kernels are judged for",
        placeHolder: "Type a part of its name; it need not be in this machine",
        matchOnDetail: true,
    });
    if (picked?.gpu) {
        await state.update(RECENT, withRecent(recent, picked.gpu.name));
        await change("gpu", picked.gpu.name);
    } else if (picked?.auto) {
        await change("gpu", THIS_MACHINE);
    }
}
