/** The kernels of a whole workspace as one report. */

import * as vscode from "vscode";
import { type LanguageClient } from "vscode-languageclient/node";

import { mayHoldKernels } from "../documents";
import { reportRequest, type Report } from "../protocol";

const SOURCES = "**/*.{cu,cuh,hip,cl}";
const MOST_FILES = 200;

/** Open documents with kernels, and the files of the workspace that are kernels by their name. */
export async function workspaceReport(client: LanguageClient): Promise<{ report: Report | null; files: number }> {
    const found = await vscode.workspace.findFiles(SOURCES, undefined, MOST_FILES);
    const open = vscode.workspace.textDocuments.filter(mayHoldKernels).map((document) => document.uri);
    const uris = [...new Map([...open, ...found].map((uri) => [uri.toString(), uri])).keys()];
    return vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: "Roofline: reading kernels" },
        async (progress) => {
            const reports: Report[] = [];
            for (const uri of uris) {
                progress.report({ message: `${reports.length + 1} of ${uris.length}` });
                const report = await client.sendRequest(reportRequest, { textDocument: { uri } }).catch(() => null);
                if (report?.files.some((file) => file.kernels.length > 0)) {
                    reports.push(report);
                }
            }
            return { report: joined(reports), files: reports.length };
        },
    );
}

/** One report of many, each kernel where it is defined. Files of another GPU are left out. */
export function joined(reports: readonly Report[]): Report | null {
    const [first] = reports;
    if (!first) {
        return null;
    }
    const files = reports
        .filter((report) => report.gpu.name === first.gpu.name)
        .flatMap((report) => report.files)
        .map((file) => ({ ...file, kernels: file.kernels.filter((kernel) => kernel.path === file.path) }));
    return { gpu: first.gpu, files };
}
