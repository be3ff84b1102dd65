/** "Compare GPUs": the kernels of a file judged for several GPUs, side by side. */

import * as vscode from "vscode";

import { sourceEditor } from "../documents";
import { duration, percent, ratioText, shortName } from "../figures";
import { compareRequest, type Report, type ReportKernel } from "../protocol";
import { type Session } from "../server/session";
import { code, prose } from "../text";
import { RECENT, choicesOf, itemsOf } from "./gpu";
import { type Pages } from "./pages";

const REMEMBERED = "roofline.compared";
const MOST = 12;

export function registerCompare(session: Session, pages: Pages, memory: vscode.Memento): vscode.Disposable {
    return vscode.commands.registerCommand("roofline.compareGpus", async (uri?: unknown, _at?: unknown, gpus?: string[]) => {
        const document = typeof uri === "string" ? vscode.Uri.parse(uri) : sourceEditor()?.document.uri;
        const names = gpus ?? (document && (await pick(session, memory)));
        if (!document || !names?.length) {
            return;
        }
        const reports = await vscode.window.withProgress(
            { location: vscode.ProgressLocation.Window, title: `Judging for ${names.length} GPUs` },
            async () =>
                session.client?.sendRequest(compareRequest, { textDocument: { uri: document.toString() }, gpus: names }),
        );
        const found = (reports ?? []).filter((report) => report !== null);
        await pages.show("Compare GPUs", page(found, document));
    });
}

async function pick(session: Session, memory: vscode.Memento): Promise<string[] | undefined> {
    const choices = await choicesOf(session);
    if (!choices) {
        return undefined;
    }
    const before = new Set(memory.get<string[]>(REMEMBERED, []));
    const items = itemsOf(choices, memory.get<string[]>(RECENT, []), { auto: false }).map((item) => {
        const name = item.gpu?.name;
        return { ...item, picked: name !== undefined && (name === choices.current || before.has(name)) };
    });
    const picked = await vscode.window.showQuickPick(items, {
        title: "Compare GPUs",
        placeHolder: `Choose up to ${MOST}`,
        canPickMany: true,
        matchOnDetail: true,
    });
    const names = picked?.flatMap((item) => (item.gpu ? [item.gpu.name] : [])).slice(0, MOST);
    if (names?.length) {
        await memory.update(REMEMBERED, names);
    }
    return names;
}

/** A table for each kernel, a line a GPU. */
export function page(reports: readonly Report[], document: vscode.Uri): string {
    const kernels = new Map<string, [string, ReportKernel][]>();
    for (const report of reports) {
        for (const kernel of report.files.flatMap((file) => file.kernels)) {
            kernels.set(kernel.name, [...(kernels.get(kernel.name) ?? []), [report.gpu.name, kernel]]);
        }
    }
    const title = `# Kernels of ${prose(document.path.split("/").at(-1) ?? "")}`;
    if (kernels.size === 0) {
        return `${title}\n\nThere is no kernel in this file.`;
    }
    return [title, ...[...kernels.values()].map(section)].join("\n\n");
}

/** A resource as the table names it: pipes and levels of memory by their short names, `DRAM`, `SP`. */
function resourceName(resource: string): string {
    return resource.length <= 4 ? resource.toUpperCase() : resource;
}

function section(judged: [string, ReportKernel][]): string {
    const times = judged.map(([, kernel]) => kernel.prediction.time_ns ?? Infinity);
    const fastest = Math.min(...times);
    const rows = judged.map(([gpu, { prediction }], at) => {
        const time = times[at] ?? Infinity;
        const known = Number.isFinite(time);
        return [
            prose(shortName(gpu)),
            prediction.class ?? "unknown",
            prediction.confidence === null ? "" : percent(prediction.confidence),
            prose(resourceName(prediction.time_limit?.resource ?? "")),
            known ? duration(time).replaceAll(" ", "\u00a0") : "unknown",
            known ? `${ratioText(time / fastest)}×` : "",
        ].join(" | ");
    });
    return [
        `## ${code(judged[0]?.[1].base_name ?? "")}`,
        "",
        "| GPU | class | sure | its time goes to | time | beside the fastest |",
        "| :-- | :-- | --: | :-- | --: | --: |",
        ...rows.map((row) => `| ${row} |`),
    ].join("\n");
}
