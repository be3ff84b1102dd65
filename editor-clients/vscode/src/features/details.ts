/** All about a kernel: the hover, brought up from a lens, a code action or the palette. */

import * as vscode from "vscode";

import { sourceEditor } from "../documents";
import { reportRequest, type ReportKernel } from "../protocol";
import { type Session } from "../server/session";

interface Position {
    line: number;
    character: number;
}

export function registerDetails(session: Session): vscode.Disposable {
    return vscode.commands.registerCommand("roofline.showDetails", async (uri?: string, at?: Position) => {
        const place = typeof uri === "string" && at ? placeOf(uri, at) : await kernelAtCursor(session);
        if (!place) {
            void vscode.window.showInformationMessage("There is no kernel in this file.");
            return;
        }
        await reveal(place);
        await vscode.commands.executeCommand("editor.action.showHover");
    });
}

function placeOf(uri: string, at: Position): vscode.Location {
    return new vscode.Location(vscode.Uri.parse(uri), new vscode.Position(at.line, at.character));
}

/** Show a place, with the cursor on it. */
export async function reveal({ uri, range }: vscode.Location, column?: vscode.ViewColumn): Promise<void> {
    const editor = await vscode.window.showTextDocument(uri, {
        selection: new vscode.Range(range.start, range.start),
        ...(column === undefined ? {} : { viewColumn: column }),
    });
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** The kernels of a document, in their order. */
export async function kernelsOf(session: Session, uri: vscode.Uri): Promise<ReportKernel[]> {
    const report = await session.client?.sendRequest(reportRequest, { textDocument: { uri: uri.toString() } });
    const kernels = report?.files.flatMap((file) => file.kernels.filter((kernel) => kernel.path === file.path)) ?? [];
    return kernels.sort((a, b) => a.name_range.line - b.name_range.line);
}

/** The kernel that the cursor is in or below, or else the first of the file. */
export async function kernelAtCursor(session: Session): Promise<vscode.Location | undefined> {
    const editor = sourceEditor();
    if (!editor) {
        return undefined;
    }
    const kernels = await kernelsOf(session, editor.document.uri);
    const line = editor.selection.active.line + 1;
    const kernel = kernels.filter((each) => each.name_range.line <= line).at(-1) ?? kernels[0];
    return kernel && nameOf(kernel, editor.document);
}

/** Where a kernel's name stands in a document. The report counts bytes, so the name is looked up. */
export function nameOf(kernel: Pick<ReportKernel, "base_name" | "name_range">, document: vscode.TextDocument): vscode.Location {
    const line = Math.min(kernel.name_range.line - 1, document.lineCount - 1);
    const column = Math.max(document.lineAt(line).text.indexOf(kernel.base_name), 0);
    return new vscode.Location(document.uri, new vscode.Position(line, column));
}
