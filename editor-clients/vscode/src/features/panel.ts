/** The roofline panel: every kernel of the file or the workspace below the roofs of the GPU. */

import { randomBytes } from "node:crypto";

import * as vscode from "vscode";

import { sourceEditor } from "../documents";
import { type KernelStore } from "../kernels/store";
import { reportRequest, type Report } from "../protocol";
import { type Session } from "../server/session";
import { nameOf, reveal } from "./details";
import { type Draw, type FromPage, type Scope, type ToPage } from "./panelMessages";
import { saveDrawing } from "./panelExport";
import { saveSet } from "./argumentSets";
import { profilesOf } from "./settingsProfile";
import { SECTION, change } from "../settings";

const VIEW = "roofline.panel";
const READING_MS = 1_500;

export function registerPanel(session: Session, kernels: KernelStore, extension: vscode.Uri): vscode.Disposable {
    let shown: Panel | undefined;
    const adopt = (view: vscode.WebviewPanel, scope: Scope) => {
        const panel = new Panel(view, session, kernels, extension, scope);
        shown = panel;
        view.onDidDispose(() => {
            panel.dispose();
            if (shown === panel) {
                shown = undefined;
            }
        });
    };
    return vscode.Disposable.from(
        vscode.commands.registerCommand("roofline.showRoofline", (uri?: unknown, at?: { line: number }) => {
            if (shown) {
                shown.show();
            } else {
                const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
                adopt(vscode.window.createWebviewPanel(VIEW, "Roofline", beside, optionsOf(extension)), "file");
            }
            if (typeof uri === "string" && at) {
                shown?.mark(vscode.Uri.parse(uri).fsPath, at.line + 1);
            }
            return shown;
        }),
        vscode.commands.registerCommand("roofline.editArgumentSet", async () => {
            await vscode.commands.executeCommand("roofline.showRoofline");
            shown?.editSet();
        }),
        vscode.window.registerWebviewPanelSerializer(VIEW, {
            deserializeWebviewPanel: (view, state: { scope?: Scope } | undefined) => {
                view.webview.options = optionsOf(extension);
                adopt(view, state?.scope === "workspace" ? "workspace" : "file");
                return Promise.resolve();
            },
        }),
    );
}

function optionsOf(extension: vscode.Uri): vscode.WebviewOptions {
    const folders = ["dist", "media"].map((folder) => vscode.Uri.joinPath(extension, folder));
    return { enableScripts: true, enableForms: false, localResourceRoots: folders };
}

/** One panel. Exported for its tests, which see what the page was told. */
export class Panel implements vscode.Disposable {
    /** What the page was last told to draw. */
    drawn: Draw | undefined;
    private readonly disposables: vscode.Disposable[];
    private document: vscode.Uri | undefined;
    private marked: { path: string; line: number } | undefined;
    /** Whether the form is wanted by a page that is not ready yet. */
    private editing = false;
    private turn = 0;
    private later: NodeJS.Timeout | undefined;

    constructor(
        private readonly view: vscode.WebviewPanel,
        private readonly session: Session,
        private readonly kernels: KernelStore,
        extension: vscode.Uri,
        private scope: Scope,
    ) {
        this.document = sourceEditor()?.document.uri;
        this.disposables = [
            view.webview.onDidReceiveMessage(async (message: FromPage) => this.heard(message)),
            session.onAnalysed((uri) => {
                if (this.scope === "file" && uri === this.document?.toString()) {
                    void this.draw();
                }
            }),
            kernels.shownBy(() => this.scope === "workspace" && view.visible),
            kernels.onDidChange(() => {
                if (this.scope === "workspace") {
                    this.drawSoon();
                }
            }),
            session.onStatus(() => void this.draw()),
            vscode.workspace.onDidChangeConfiguration((event) => {
                if (event.affectsConfiguration(`${SECTION}.settingsProfile`)) {
                    void this.draw();
                }
            }),
            vscode.window.onDidChangeActiveTextEditor(() => {
                const uri = sourceEditor()?.document.uri;
                if (uri && uri.toString() !== this.document?.toString()) {
                    this.document = uri;
                    void this.draw();
                }
            }),
            vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
                if (textEditor.document.uri.toString() === this.document?.toString() && selections[0]) {
                    this.mark(textEditor.document.uri.fsPath, selections[0].active.line + 1);
                }
            }),
        ];
        view.webview.html = html(view.webview, extension);
    }

    show(): void {
        this.view.reveal(undefined, true);
    }

    /** Have the page tell which kernel the cursor is in. */
    mark(path: string, line: number): void {
        this.marked = { path, line };
        this.tell({ type: "mark", path, line });
    }

    /** Have the page show the form of an argument set. */
    editSet(): void {
        this.editing = !this.drawn || !this.view.visible;
        this.view.reveal();
        this.tell({ type: "editSet" });
    }

    dispose(): void {
        clearTimeout(this.later);
        vscode.Disposable.from(...this.disposables).dispose();
    }

    private tell(message: ToPage): void {
        void this.view.webview.postMessage(message);
    }

    private async heard(message: FromPage): Promise<void> {
        switch (message.type) {
            case "ready":
                await this.draw();
                if (this.editing) {
                    this.editing = false;
                    this.tell({ type: "editSet" });
                }
                break;
            case "chooseSet":
                await change("settingsProfile", message.name ?? undefined);
                break;
            case "saveSet": {
                const problem = await saveSet(this.session, message.profile, message.becomes);
                this.tell({ type: "setSaved", problem: problem ?? null });
                await this.draw();
                break;
            }
            case "scope":
                this.scope = message.scope;
                await this.draw();
                break;
            case "open":
                await open(message);
                break;
            case "selectGpu":
                await vscode.commands.executeCommand("roofline.selectGpu");
                break;
            case "export":
                await saveDrawing(message.format, message.data);
                break;
        }
    }

    /** While files are read a drawing is out of date before it is seen: not more than one in a while. */
    private drawSoon(): void {
        if (this.kernels.reading !== "reading") {
            clearTimeout(this.later);
            this.later = undefined;
            void this.draw();
        } else {
            this.later ??= setTimeout(() => {
                this.later = undefined;
                void this.draw();
            }, READING_MS);
        }
    }

    /** Draw what is known now. Of several calls only the last one's report is shown. */
    private async draw(): Promise<void> {
        const turn = ++this.turn;
        const [content, sets] = await Promise.all([this.content(), profilesOf(this.session)]);
        const drawn = sets ? { ...content, sets } : content;
        if (turn === this.turn) {
            this.drawn = drawn;
            this.tell(drawn);
            if (this.marked) {
                this.tell({ type: "mark", ...this.marked });
            }
        }
    }

    private async content(): Promise<Draw> {
        const client = this.session.client;
        const nothing = { type: "draw", scope: this.scope, report: null } as const;
        if (!client) {
            return { ...nothing, title: "", empty: "The server does not run." };
        }
        if (this.scope === "workspace") {
            void this.kernels.need();
            const { fileCount, reading, report, notes } = this.kernels;
            const title = `${fileCount} file${fileCount === 1 ? "" : "s"} of the workspace`;
            const empty = reading === "reading" ? "Reading the workspace's kernels ..." : "There is no kernel in this workspace.";
            return { ...nothing, report, title, empty, notes };
        }
        if (!this.document) {
            return { ...nothing, title: "", empty: "Open a file with a kernel." };
        }
        const report: Report | null = await client
            .sendRequest(reportRequest, { textDocument: { uri: this.document.toString() } })
            .catch(() => null);
        return { ...nothing, report, title: this.document.path.split("/").at(-1) ?? "", empty: "There is no kernel in this file." };
    }
}

async function open({ path, line, name }: { path: string; line: number; name: string }): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
    const beside = vscode.window.visibleTextEditors.find((editor) => editor.document === document) ??
        vscode.window.visibleTextEditors[0];
    await reveal(nameOf({ base_name: name, name_range: { line, column: 0 } }, document), beside?.viewColumn);
}

/** The page. Nothing is loaded but the extension's own two files, and only the script with the nonce runs. */
export function html(webview: Pick<vscode.Webview, "asWebviewUri" | "cspSource">, extension: vscode.Uri): string {
    const nonce = randomBytes(16).toString("base64");
    const uri = (...parts: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...parts)).toString();
    const policy = `default-src 'none'; img-src data:; style-src ${webview.cspSource} 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${uri("media", "panel.css")}">
<title>Roofline</title>
</head>
<body>
<main id="app"></main>
<script nonce="${nonce}" src="${uri("dist", "panel.js")}"></script>
</body>
</html>`;
}
