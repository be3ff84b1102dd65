/** "Compare Kernel With...": the kernel at the cursor beside its last commit, another kernel, or another file. */

import * as vscode from "vscode";

import { sourceEditor } from "../documents";
import { compareVariantsRequest, type ReportKernel, type Variant } from "../protocol";
import { type Session } from "../server/session";
import { plain } from "../text";
import { kernelAtCursor, kernelsOf } from "./details";
import { type Pages } from "./pages";

/** As much of the Git extension's interface as is used here. */
interface Git {
    getAPI(version: 1): { getRepository(uri: vscode.Uri): { show(ref: string, path: string): Promise<string> } | null };
}

interface Choice extends vscode.QuickPickItem {
    variant(): Promise<Variant | undefined>;
}

const HEAD = "HEAD";

export function registerCompareVariants(session: Session, pages: Pages): vscode.Disposable {
    return vscode.commands.registerCommand("roofline.compareKernels", async (variants?: Variant[]) => {
        const chosen = Array.isArray(variants) ? variants : await choose(session);
        if (!chosen) {
            return;
        }
        const found = await vscode.window.withProgress(
            { location: vscode.ProgressLocation.Window, title: "Comparing kernels" },
            async () => session.client?.sendRequest(compareVariantsRequest, { variants: chosen }),
        );
        if (found?.markdown) {
            await pages.show(found.title ?? "Comparison", found.markdown);
        } else if (found) {
            void vscode.window.showInformationMessage(plain(found.problem ?? "The kernels cannot be compared."));
        }
    });
}

/** The kernel at the cursor and what it is held against; that comes first where it is older. */
async function choose(session: Session): Promise<Variant[] | undefined> {
    const document = sourceEditor()?.document;
    const place = await kernelAtCursor(session);
    if (!document || !place) {
        void vscode.window.showInformationMessage("There is no kernel in this file.");
        return undefined;
    }
    const here = { textDocument: { uri: document.uri.toString() }, position: place.range.start };
    const kernels = await kernelsOf(session, document.uri);
    const choices = choicesFor(document.uri, kernels, place.range.start.line);
    const picked = await vscode.window.showQuickPick(choices, { title: "Compare Kernel With", matchOnDetail: true });
    const other = await picked?.variant();
    if (!other) {
        return undefined;
    }
    return other.text === undefined ? [here, other] : [other, here];
}

function choicesFor(uri: vscode.Uri, kernels: readonly ReportKernel[], line: number): Choice[] {
    const others = kernels.filter((kernel) => kernel.name_range.line !== line + 1);
    return [
        {
            label: "$(git-commit) Last commit",
            detail: "The file as the repository's last commit has it",
            variant: () => committed(uri),
        },
        ...others.map((kernel): Choice => ({
            label: `$(symbol-function) ${plain(kernel.base_name)}`,
            description: `line ${kernel.name_range.line}`,
            variant: () =>
                Promise.resolve({
                    textDocument: { uri: uri.toString() },
                    position: { line: kernel.name_range.line - 1, character: 0 },
                    label: kernel.base_name,
                }),
        })),
        { label: "$(go-to-file) Another file...", detail: "Its kernel of the same name, or its only one", variant: another },
    ];
}

/** A file's text as of the last commit, by way of the editor's own Git extension. */
async function committed(uri: vscode.Uri): Promise<Variant | undefined> {
    const git = await vscode.extensions.getExtension<Git>("vscode.git")?.activate();
    try {
        const text = await git?.getAPI(1).getRepository(uri)?.show(HEAD, uri.fsPath);
        if (text !== undefined) {
            return { textDocument: { uri: uri.toString() }, text, label: HEAD };
        }
    } catch {
        // The last commit has no such file.
    }
    void vscode.window.showInformationMessage("The last commit of a Git repository does not have this file.");
    return undefined;
}

async function another(): Promise<Variant | undefined> {
    const chosen = await vscode.window.showOpenDialog({ title: "Compare kernel with", openLabel: "Compare" });
    return chosen?.[0] && { textDocument: { uri: chosen[0].toString() } };
}
