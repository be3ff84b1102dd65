/** "Explain Rule": the page of a rule that the file has findings of. */

import * as vscode from "vscode";

import { sourceEditor } from "../documents";
import { plain } from "../text";

const SOURCE = "roofline-lsp";

interface Rule extends vscode.QuickPickItem {
    page: vscode.Uri;
}

export function registerRules(): vscode.Disposable {
    return vscode.commands.registerCommand("roofline.explainRule", async () => {
        const rules = rulesOf(sourceEditor());
        if (rules.length === 0) {
            void vscode.window.showInformationMessage("This file has no findings of rules.");
            return;
        }
        const picked = rules.length === 1 ? rules[0] : await vscode.window.showQuickPick(rules, { title: "Explain a rule" });
        if (picked) {
            const show = picked.page.scheme === "file" ? "markdown.showPreviewToSide" : "vscode.open";
            await vscode.commands.executeCommand(show, picked.page);
        }
    });
}

/** The rules that a file has findings of, those of the cursor's line first. */
export function rulesOf(editor: vscode.TextEditor | undefined): Rule[] {
    const line = editor?.selection.active.line ?? -1;
    const found = editor ? vscode.languages.getDiagnostics(editor.document.uri) : [];
    const away = (each: vscode.Diagnostic) => (each.range.start.line <= line && line <= each.range.end.line ? 0 : 1);
    const rules = new Map<string, Rule>();
    for (const each of [...found].sort((a, b) => away(a) - away(b))) {
        if (each.source === SOURCE && typeof each.code === "object") {
            const label = String(each.code.value);
            rules.set(label, rules.get(label) ?? { label, description: plain(each.message), page: each.code.target });
        }
    }
    return [...rules.values()];
}
