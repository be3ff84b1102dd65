/** Edits that need consent: shown as a difference, and made when a person says so. */

import * as vscode from "vscode";
import {
    TextDocumentEdit,
    type ApplyWorkspaceEditParams,
    type ApplyWorkspaceEditResult,
    type LanguageClient,
    type TextEdit,
    type WorkspaceEdit,
} from "vscode-languageclient/node";

import { plain } from "../text";
import { type Pages } from "./pages";

const APPLY = "Apply";
const DISCARD = "Discard";

/** The one annotation of an edit that needs consent; undefined where none is needed. */
export function needsConsent(edit: WorkspaceEdit): { label: string; description?: string } | undefined {
    const annotations = Object.values(edit.changeAnnotations ?? {});
    return annotations.length === 1 && annotations[0]?.needsConfirmation ? annotations[0] : undefined;
}

/**
 * Show an edit of one document as a difference and ask. Undefined where it is another kind of edit, which the editor's own
 * preview is for.
 */
export async function confirm(
    client: LanguageClient,
    pages: Pages,
    { edit }: ApplyWorkspaceEditParams,
): Promise<ApplyWorkspaceEditResult | undefined> {
    const consent = needsConsent(edit);
    const [change, ...more] = edit.documentChanges ?? [];
    if (!consent || !change || more.length || !TextDocumentEdit.is(change)) {
        return undefined;
    }
    const uri = client.protocol2CodeConverter.asUri(change.textDocument.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    if (change.textDocument.version !== null && change.textDocument.version !== document.version) {
        return { applied: false, failureReason: "the text has changed since" };
    }
    const edits = change.edits as TextEdit[];
    const name = uri.path.split("/").at(-1) ?? "";
    const after = pages.write(`suggested ${name}`, edited(client, document, edits));
    await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(after), document.languageId);
    const version = document.version;
    await vscode.commands.executeCommand("vscode.diff", uri, after, plain(`${name}: ${consent.label}`), { preview: true });
    const answer = await vscode.window.showInformationMessage(
        plain(`${consent.label}. ${consent.description ?? ""}`),
        APPLY,
        DISCARD,
    );
    await closeDiff(after);
    if (answer !== APPLY) {
        return { applied: false };
    }
    if (document.version !== version) {
        return { applied: false, failureReason: "the text has changed since" };
    }
    const made = new vscode.WorkspaceEdit();
    made.set(uri, await client.protocol2CodeConverter.asTextEdits(edits));
    return { applied: await vscode.workspace.applyEdit(made) };
}

/** A document's text with edits made; edits do not overlap, so the last one goes first. */
function edited(client: LanguageClient, document: vscode.TextDocument, edits: TextEdit[]): string {
    let text = document.getText();
    const offset = (at: TextEdit["range"]["start"]) => document.offsetAt(client.protocol2CodeConverter.asPosition(at));
    for (const { range, newText } of [...edits].sort((a, b) => offset(b.range.start) - offset(a.range.start))) {
        text = text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end));
    }
    return text;
}

async function closeDiff(after: vscode.Uri): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const diffs = tabs.filter(
        ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === after.toString(),
    );
    await vscode.window.tabGroups.close(diffs);
}
