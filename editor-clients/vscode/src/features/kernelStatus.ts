/** The status bar's word on the kernel that the cursor is in. A click opens all about it. */

import * as vscode from "vscode";

import { isSource } from "../documents";
import { duration, percent, shownName } from "../figures";
import { CLASS_NAMES } from "../kernels/listing";
import { type ReportKernel } from "../protocol";
import { type Session } from "../server/session";
import { plain } from "../text";
import { kernelsOf, nameOf } from "./details";
import { SHAPES } from "./kernelTree";

const PAUSE_MS = 120;

export function registerKernelStatus(session: Session): vscode.Disposable {
    const item = vscode.window.createStatusBarItem("roofline.kernel", vscode.StatusBarAlignment.Right, 91);
    item.name = "Roofline Kernel";
    let timer: NodeJS.Timeout | undefined;
    let turn = 0;
    const update = async () => {
        const mine = ++turn;
        const editor = vscode.window.activeTextEditor;
        const found = editor && session.client && isSource(editor.document) ? await around(session, editor) : undefined;
        if (mine === turn) {
            show(item, found, editor?.document);
        }
    };
    const soon = () => {
        clearTimeout(timer);
        timer = setTimeout(() => void update(), PAUSE_MS);
    };
    return vscode.Disposable.from(
        item,
        new vscode.Disposable(() => { clearTimeout(timer); }),
        session.onStatus(soon),
        session.onAnalysed(soon),
        vscode.window.onDidChangeActiveTextEditor(soon),
        vscode.window.onDidChangeTextEditorSelection(soon),
    );
}

async function around(session: Session, { document, selection }: vscode.TextEditor): Promise<ReportKernel | undefined> {
    try {
        return kernelAround(await kernelsOf(session, document.uri), selection.active.line + 1);
    } catch (error) {
        session.log.debug(`no kernel for the status bar: ${String(error)}`); // as while the server ends
        return undefined;
    }
}

/** The kernel whose lines, from 1, have a line in them. */
export function kernelAround<T extends Pick<ReportKernel, "range">>(kernels: readonly T[], line: number): T | undefined {
    return kernels.find(({ range }) => range.line <= line && line <= range.end_line);
}

function show(item: vscode.StatusBarItem, kernel: ReportKernel | undefined, document: vscode.TextDocument | undefined): void {
    if (!kernel || !document) {
        item.hide();
        return;
    }
    const { class: found, confidence, time_ns } = kernel.prediction;
    const name = CLASS_NAMES[found ?? "undecided"];
    const sure = confidence === null ? "" : ` ${percent(confidence)}`;
    const { start } = nameOf(kernel, document).range;
    item.text = `$(${SHAPES[found ?? "undecided"][0]}) ${name}${sure}`;
    item.tooltip = plain(`${shownName(kernel.base_name)}: ${name}${sure && `,${sure} sure`}${time_ns === null ? "" : `, ${duration(time_ns)}`}. Click for all about it`);
    item.accessibilityInformation = { label: `Roofline: the kernel ${plain(shownName(kernel.base_name))} is ${name}${sure && `,${sure} sure`}` };
    item.command = {
        command: "roofline.showDetails",
        title: "Show Kernel Details",
        arguments: [document.uri.toString(), { line: start.line, character: start.character }],
    };
    item.show();
}
