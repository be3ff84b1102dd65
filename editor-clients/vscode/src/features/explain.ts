/** "Explain This Kernel": what the analysis sees in the kernel at the cursor, beside the editor, following the cursor. */

import { sep } from "node:path";

import * as vscode from "vscode";

import { isSource, sourceEditor } from "../documents";
import { explainRequest, type Explanation } from "../protocol";
import { type Session } from "../server/session";
import { kernelsOf } from "./details";
import { FOLDED_AT_FIRST, linesAbout, partsOf } from "./explanationOutline";
import { kernelAround } from "./kernelStatus";
import { type Pages } from "./pages";

/** One page for all kernels, so that it stays where a person has put it. */
export const PAGE = "What the Analysis Sees.txt";
const PAUSE_MS = 250;

interface Position {
    line: number;
    character: number;
}

export function registerExplain(session: Session, pages: Pages): vscode.Disposable {
    const view = new ExplanationView(session, pages);
    return vscode.Disposable.from(
        view,
        vscode.commands.registerCommand("roofline.explainKernel", async (uri?: unknown, at?: Position) => {
            const editor = sourceEditor();
            const document = typeof uri === "string" ? uri : editor?.document.uri.toString();
            const position = at ?? editor?.selection.active;
            if (document && position && !(await view.open(document, position))) {
                void vscode.window.showInformationMessage("There is no kernel at the cursor, and no launch of one.");
            }
        }),
    );
}

/** The page, as long as it is in sight. */
class ExplanationView implements vscode.Disposable {
    private readonly marked = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
        overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.rangeHighlightForeground"),
    });
    private readonly page: vscode.Uri;
    private readonly disposables: { dispose: () => unknown }[];
    private text = "";
    /** The document and the line of the kernel that is explained. */
    private shown: { uri: string; name: string } | undefined;
    private timer: NodeJS.Timeout | undefined;
    private turn = 0;

    constructor(
        private readonly session: Session,
        private readonly pages: Pages,
    ) {
        this.page = pages.uriOf(PAGE);
        this.disposables = [
            this.marked,
            vscode.languages.registerFoldingRangeProvider({ scheme: this.page.scheme }, {
                provideFoldingRanges: (document) =>
                    partsOf(document.getText()).map(({ start, end }) => new vscode.FoldingRange(start, end, vscode.FoldingRangeKind.Region)),
            }),
            vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => { this.followSoon(textEditor, false); }),
            vscode.window.onDidChangeActiveTextEditor((editor) => { this.followSoon(editor, false); }),
            session.onAnalysed((uri) => {
                const editor = sourceEditor();
                if (editor?.document.uri.toString() === uri) {
                    this.followSoon(editor, true);
                }
            }),
        ];
    }

    /** Explain the kernel at a place. False where there is none. */
    async open(uri: string, position: Position): Promise<boolean> {
        const found = await vscode.window.withProgress(
            { location: vscode.ProgressLocation.Window, title: "Explaining the kernel" },
            () => this.ask(uri, position),
        );
        if (!found) {
            return false;
        }
        const first = !this.editor;
        const source = sourceEditor();
        this.write(uri, found);
        const column = this.editor?.viewColumn ?? vscode.ViewColumn.Beside;
        const editor = await vscode.window.showTextDocument(this.page, { viewColumn: column, preview: false });
        if (first) {
            await fold(editor);
        }
        if (source) {
            await vscode.window.showTextDocument(source.document, source.viewColumn);
            this.mark(source);
        }
        return true;
    }

    dispose(): void {
        clearTimeout(this.timer);
        vscode.Disposable.from(...this.disposables).dispose();
    }

    private get editor(): vscode.TextEditor | undefined {
        return vscode.window.visibleTextEditors.find((each) => each.document.uri.toString() === this.page.toString());
    }

    private followSoon(editor: vscode.TextEditor | undefined, edited: boolean): void {
        if (editor && this.editor && isSource(editor.document)) {
            clearTimeout(this.timer);
            this.timer = setTimeout(() => void this.follow(editor, edited), PAUSE_MS);
        }
    }

    /** Explain the kernel that the cursor is in, if it is another or was edited, and mark what is about its line. */
    private async follow(editor: vscode.TextEditor, edited: boolean): Promise<void> {
        const turn = ++this.turn;
        const uri = editor.document.uri.toString();
        const position = editor.selection.active;
        try {
            const kernel = kernelAround(await kernelsOf(this.session, editor.document.uri), position.line + 1);
            const same = this.shown?.uri === uri && this.shown.name === kernel?.name;
            if (kernel && (!same || edited)) {
                const found = await this.ask(uri, position);
                if (found && turn === this.turn) {
                    this.write(uri, found, kernel.name);
                }
            }
        } catch (error) {
            this.session.log.debug(`not explained: ${String(error)}`); // as while the server ends
        }
        if (turn === this.turn) {
            this.mark(editor);
        }
    }

    private async ask(uri: string, { line, character }: Position): Promise<Explanation | null> {
        return (await this.session.client?.sendRequest(explainRequest, { textDocument: { uri }, position: { line, character } })) ?? null;
    }

    private write(uri: string, { text }: Explanation, name = ""): void {
        const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri))?.uri.fsPath;
        this.text = folder ? text.replaceAll(`${folder}${sep}`, "") : text;
        this.shown = { uri, name };
        this.pages.write(PAGE, this.text);
    }

    private mark(source: vscode.TextEditor): void {
        const editor = this.editor;
        if (!editor) {
            return;
        }
        const about = this.shown?.uri === source.document.uri.toString() ? linesAbout(this.text, source.selection.active.line + 1) : [];
        const ranges = about.filter((line) => line < editor.document.lineCount).map((line) => editor.document.lineAt(line).range);
        editor.setDecorations(this.marked, ranges);
        const [first] = ranges;
        if (first) {
            editor.revealRange(first, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
        }
    }
}

/** Fold the steps that lead to the regions and the verdict. The editor must have the focus. */
async function fold(editor: vscode.TextEditor): Promise<void> {
    const steps = partsOf(editor.document.getText()).filter(({ step }) => step !== null && FOLDED_AT_FIRST.includes(step));
    await vscode.commands.executeCommand("editor.fold", { selectionLines: steps.map(({ start }) => start), levels: 1 });
}
