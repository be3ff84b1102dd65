/** The connection to the server. */

import * as vscode from "vscode";
import {
    ExecuteCommandRequest,
    LanguageClient,
    type ApplyWorkspaceEditParams,
    type ApplyWorkspaceEditResult,
    type DynamicFeature,
    type LanguageClientOptions,
    type Middleware,
    type StaticFeature,
    vsdiag,
} from "vscode-languageclient/node";

import { SELECTOR } from "../documents";
import { CLIENT_COMMANDS, analysed } from "../protocol";
import { SECTION, enabled, serverSettings } from "../settings";
import { type Found } from "./find";

/** A client that leaves the server's commands to the features that have a face for them. */
class Client extends LanguageClient {
    override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
        const method = "registrationType" in feature ? feature.registrationType.method : undefined;
        if (method !== ExecuteCommandRequest.method) {
            super.registerFeature(feature);
        }
    }
}

/** What the extension's features add to the connection, which itself knows none of them. */
export interface Additions {
    /** Asks for consent to an edit that needs it; undefined leaves the edit to the editor. */
    confirmEdit: (
        client: LanguageClient,
        params: ApplyWorkspaceEditParams,
    ) => Promise<ApplyWorkspaceEditResult | undefined>;
    /** What stands below the server's text in a hover; undefined adds nothing. */
    addToHover: (
        client: LanguageClient,
        uri: vscode.Uri,
        position: vscode.Position,
        token: vscode.CancellationToken,
    ) => Promise<vscode.MarkdownString | undefined>;
}

export function createClient(found: Found, log: vscode.LogOutputChannel, additions: Additions): LanguageClient {
    const extra = vscode.workspace.getConfiguration(SECTION).get<string[]>("server.extraArguments", []);
    const program = { command: found.command, args: [...found.args, ...extra, "--stdio"] };
    const client: LanguageClient = new Client("roofline", "Roofline", program, options(log, () => client, additions));
    return client;
}

function options(log: vscode.LogOutputChannel, client: () => LanguageClient, additions: Additions): LanguageClientOptions {
    return {
        documentSelector: SELECTOR,
        outputChannel: log,
        traceOutputChannel: log,
        initializationOptions: () => ({
            ...serverSettings(),
            clientCommands: CLIENT_COMMANDS,
            clientNotifications: [analysed.method],
            workspaceTrusted: vscode.workspace.isTrusted,
        }),
        connectionOptions: { maxRestartCount: 4 },
        middleware: middleware(client, additions),
        markdown: { isTrusted: false, supportHtml: false },
    };
}

/** Each feature has its switch; the server is asked for nothing that is off. */
function middleware(client: () => LanguageClient, { confirmEdit, addToHover }: Additions): Middleware {
    return {
        provideHover: async (document, position, token, next) => {
            const shown = enabled("hover", document.uri) ? await next(document, position, token) : null;
            const link = shown && (await addToHover(client(), document.uri, position, token));
            return link ? new vscode.Hover([...shown.contents, link], shown.range) : shown;
        },
        provideCodeLenses: (document, token, next) =>
            enabled("codeLens", document.uri) ? next(document, token) : [],
        provideInlayHints: (document, range, token, next) =>
            enabled("inlayHints", document.uri) ? next(document, range, token) : [],
        provideDiagnostics: (document, previous, token, next) => {
            const uri = document instanceof vscode.Uri ? document : document.uri;
            const nothing: vsdiag.RelatedFullDocumentDiagnosticReport = {
                kind: vsdiag.DocumentDiagnosticReportKind.full,
                items: [],
            };
            return enabled("diagnostics", uri) ? next(document, previous, token) : nothing;
        },
        workspace: {
            handleApplyEdit: async (params, next) =>
                (await confirmEdit(client(), params)) ?? next(params, new vscode.CancellationTokenSource().token),
            configuration: (params) =>
                params.items.map((item) => {
                    const uri = item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri);
                    return item.section === SECTION ? serverSettings(uri) : null;
                }),
        },
    };
}
