/** "Set sizes...": the comment that states what is assumed of a launch, written above it, its first number selected. */

import * as vscode from "vscode";
import { CodeActionKind, CodeActionRequest, type LanguageClient, type CodeAction } from "vscode-languageclient/node";

import { sourceEditor } from "../documents";
import { type Session } from "../server/session";
import { kernelAtCursor } from "./details";

const COMMAND = "roofline.setSizes";
const TITLE = "State sizes here: ";

interface Place {
    line: number;
    character: number;
}

export function registerSetSizes(session: Session): vscode.Disposable {
    return vscode.commands.registerCommand(COMMAND, async (uri?: string, at?: Place) => {
        const place = typeof uri === "string" && at ? { uri: vscode.Uri.parse(uri), at } : await placeAtCursor(session);
        const action = session.client && place && (await statement(session.client, place.uri, place.at));
        if (!session.client || !place || !action?.edit) {
            void vscode.window.showInformationMessage("No size of a kernel here is assumed, or its file is still being read.");
            return;
        }
        await vscode.workspace.applyEdit(await session.client.protocol2CodeConverter.asWorkspaceEdit(action.edit));
        await select(place.uri, action.title.slice(TITLE.length));
    });
}

/** A link to the command in a hover over a place where sizes are assumed. No word of it comes from a source or the server. */
export async function sizesLink(
    client: LanguageClient,
    uri: vscode.Uri,
    at: Place,
    token: vscode.CancellationToken,
): Promise<vscode.MarkdownString | undefined> {
    if (!(await statement(client, uri, at, token))) {
        return undefined;
    }
    const query = encodeURIComponent(JSON.stringify([uri.toString(), { line: at.line, character: at.character }]));
    const text = new vscode.MarkdownString(`Sizes are assumed: [Set sizes...](command:${COMMAND}?${query})`);
    text.isTrusted = { enabledCommands: [COMMAND] };
    return text;
}

/** The server's action that states the sizes assumed at a place. */
async function statement(
    client: LanguageClient,
    uri: vscode.Uri,
    { line, character }: Place,
    token?: vscode.CancellationToken,
): Promise<CodeAction | undefined> {
    const at = { line, character };
    const params = {
        textDocument: { uri: client.code2ProtocolConverter.asUri(uri) },
        range: { start: at, end: at },
        context: { diagnostics: [], only: [CodeActionKind.RefactorRewrite] },
    };
    const found = await client.sendRequest(CodeActionRequest.type, params, token).catch(() => null);
    return found?.find((each): each is CodeAction => each.title.startsWith(TITLE) && "edit" in each);
}

async function placeAtCursor(session: Session): Promise<{ uri: vscode.Uri; at: Place } | undefined> {
    const editor = sourceEditor();
    const client = session.client;
    if (editor && client && (await statement(client, editor.document.uri, editor.selection.active))) {
        return { uri: editor.document.uri, at: editor.selection.active };
    }
    const kernel = await kernelAtCursor(session);
    return kernel && { uri: kernel.uri, at: kernel.range.start };
}

/** Show the comment, with its first number selected, for a person to write another one over it. */
async function select(uri: vscode.Uri, sizes: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    const start = document.getText().indexOf(`// roofline: ${sizes}`);
    const first = /= (\(?[\d., ]+\)?)(?=,|$)/.exec(sizes);
    if (start < 0 || !first?.[1]) {
        return;
    }
    const from = start + "// roofline: ".length + first.index + "= ".length;
    const selection = new vscode.Range(document.positionAt(from), document.positionAt(from + first[1].trimEnd().length));
    const editor = await vscode.window.showTextDocument(document, { selection });
    editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
