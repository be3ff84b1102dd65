/** The test project and what the editor says of it. */

import * as vscode from "vscode";

import { type Api } from "../src/extension";

export async function extension(): Promise<Api> {
    const found = vscode.extensions.getExtension<Api>("roofline-lsp.roofline-lsp");
    if (!found) {
        throw new Error("the extension is not installed");
    }
    return found.activate();
}

export async function open(name: string): Promise<vscode.TextEditor> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (!folder) {
        throw new Error("no folder is open");
    }
    return vscode.window.showTextDocument(vscode.Uri.joinPath(folder, name), { preview: false });
}

/** The lenses that say a class; beside one may stand "Set sizes...". */
export async function lenses(uri: vscode.Uri): Promise<string[]> {
    return (await allLenses(uri)).filter((title) => title !== "Set sizes...");
}

export async function allLenses(uri: vscode.Uri): Promise<string[]> {
    const found = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri);
    return found.map((lens) => lens.command?.title ?? "");
}

export async function hover(uri: vscode.Uri, line: number, character: number): Promise<string> {
    const at = new vscode.Position(line, character);
    const found = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", uri, at);
    return found.flatMap((each) => each.contents.map((part) => (part instanceof vscode.MarkdownString ? part.value : ""))).join("\n");
}

export async function hints(uri: vscode.Uri): Promise<string[]> {
    const all = new vscode.Range(0, 0, 1000, 0);
    const found = await vscode.commands.executeCommand<vscode.InlayHint[]>("vscode.executeInlayHintProvider", uri, all);
    return found.map((hint) => `${hint.position.line} ${typeof hint.label === "string" ? hint.label : ""}`);
}

export async function actions(uri: vscode.Uri, line: number): Promise<vscode.CodeAction[]> {
    const at = new vscode.Range(line, 20, line, 20);
    return vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", uri, at);
}
