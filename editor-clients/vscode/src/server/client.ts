/** The connection to the server. */

import * as vscode from "vscode";
import {
    ExecuteCommandRequest,
    LanguageClient,
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

export function createClient(found: Found, log: vscode.LogOutputChannel): LanguageClient {
    const extra = vscode.workspace.getConfiguration(SECTION).get<string[]>("server.extraArguments", []);
    const program = { command: found.command, args: [...found.args, ...extra, "--stdio"] };
    return new Client("roofline", "Roofline", program, options(log));
}

function options(log: vscode.LogOutputChannel): LanguageClientOptions {
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
        middleware: middleware(),
        markdown: { isTrusted: false, supportHtml: false },
    };
}

/** Each feature has its switch; the server is asked for nothing that is off. */
function middleware(): Middleware {
    return {
        provideHover: (document, position, token, next) =>
            enabled("hover", document.uri) ? next(document, position, token) : null,
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
            configuration: (params) =>
                params.items.map((item) => {
                    const uri = item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri);
                    return item.section === SECTION ? serverSettings(uri) : null;
                }),
        },
    };
}
