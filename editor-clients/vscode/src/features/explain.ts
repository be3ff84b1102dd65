/** "Explain This Kernel": how the class of the kernel at the cursor comes about, as a text beside the editor. */

import * as vscode from "vscode";

import { sourceEditor } from "../documents";
import { explainRequest } from "../protocol";
import { type Session } from "../server/session";
import { type Pages } from "./pages";

interface Position {
    line: number;
    character: number;
}

export function registerExplain(session: Session, pages: Pages): vscode.Disposable {
    return vscode.commands.registerCommand("roofline.explainKernel", async (uri?: unknown, at?: Position) => {
        const editor = sourceEditor();
        const document = typeof uri === "string" ? uri : editor?.document.uri.toString();
        const position = at ?? editor?.selection.active;
        if (!document || !position) {
            return;
        }
        const found = await vscode.window.withProgress(
            { location: vscode.ProgressLocation.Window, title: "Explaining the kernel" },
            async () =>
                session.client?.sendRequest(explainRequest, {
                    textDocument: { uri: document },
                    position: { line: position.line, character: position.character },
                }),
        );
        if (!found) {
            void vscode.window.showInformationMessage("There is no kernel at the cursor, and no launch of one.");
            return;
        }
        const page = pages.write(`${found.title}.txt`, found.text);
        await vscode.window.showTextDocument(page, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    });
}
