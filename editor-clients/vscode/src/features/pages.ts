/** Pages of text that the extension writes: read-only Markdown, shown as the editor's own preview. */

import * as vscode from "vscode";

const SCHEME = "roofline-page";

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly texts = new Map<string, string>();
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();

    readonly onDidChange = this.changed.event;

    /** After `onDidChange`, which the editor looks for when the provider is registered. */
    private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

    provideTextDocumentContent(uri: vscode.Uri): string {
        return this.texts.get(uri.path) ?? "";
    }

    /** Show a page beside the editor. A page of the same title takes the place of the older one. */
    async show(title: string, markdown: string): Promise<void> {
        const uri = this.write(`${title}.md`, markdown);
        await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
    }

    /** Have a text at a URI, for the editor's own views. */
    write(name: string, text: string): vscode.Uri {
        const uri = this.uriOf(name);
        this.texts.set(uri.path, text);
        this.changed.fire(uri);
        return uri;
    }

    uriOf(name: string): vscode.Uri {
        return vscode.Uri.from({ scheme: SCHEME, path: `/${name.replaceAll("/", " ")}` });
    }

    dispose(): void {
        this.registration.dispose();
        this.changed.dispose();
    }
}
