/** Line heat: a tint behind the lines that have most of what decides a kernel's class. */

import * as vscode from "vscode";

import { isSource } from "../documents";
import { lineHeatRequest, type LineHeat } from "../protocol";
import { type Session } from "../server/session";
import { enabled } from "../settings";

/** The least share of each step, the faintest first; smaller shares are not tinted. */
export const STEPS = [0.05, 0.15, 0.3, 0.5];

export function registerLineHeat(session: Session): vscode.Disposable {
    const types = STEPS.map((_, at) =>
        vscode.window.createTextEditorDecorationType({
            isWholeLine: true,
            backgroundColor: new vscode.ThemeColor(`roofline.heat${at + 1}`),
            overviewRulerColor: new vscode.ThemeColor(`roofline.heat${at + 1}`),
            overviewRulerLane: vscode.OverviewRulerLane.Left,
        }),
    );
    const update = (uri?: string) => {
        for (const editor of vscode.window.visibleTextEditors) {
            if (isSource(editor.document) && (uri === undefined || editor.document.uri.toString() === uri)) {
                void tint(editor, types, session);
            }
        }
    };
    return vscode.Disposable.from(
        ...types,
        session.onAnalysed(update),
        session.onStatus(() => {
            update();
        }),
        vscode.window.onDidChangeVisibleTextEditors(() => {
            update();
        }),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration("roofline.lineHeat")) {
                update();
            }
        }),
    );
}

async function tint(editor: vscode.TextEditor, types: vscode.TextEditorDecorationType[], session: Session): Promise<void> {
    const { document } = editor;
    const version = document.version;
    let heat: LineHeat[] = [];
    if (enabled("lineHeat", document.uri)) {
        const about = { textDocument: { uri: document.uri.toString() } };
        try {
            heat = (await session.client?.sendRequest(lineHeatRequest, about)) ?? [];
        } catch (error) {
            session.log.debug(`no line heat: ${String(error)}`); // as while the server ends
        }
    }
    if (document.version === version) {
        const steps = stepsOf(heat);
        types.forEach((type, at) => {
            editor.setDecorations(type, (steps[at] ?? []).map((line) => new vscode.Range(line, 0, line, 0)));
        });
    }
}

/** The lines of each step. */
export function stepsOf(heat: readonly LineHeat[]): number[][] {
    const steps: number[][] = STEPS.map(() => []);
    for (const { line, share } of heat) {
        const step = STEPS.filter((least) => share >= least).length - 1;
        steps[step]?.push(line);
    }
    return steps;
}
