/** Which documents may hold kernels. */

import * as vscode from "vscode";

const KERNEL_LANGUAGES = new Set(["cuda-cpp", "cuda", "hip", "opencl"]);
const HOST_LANGUAGES = new Set(["c", "cpp", "python"]);
const KERNEL_FILES = /\.(cuh?|hip|cl)$/i;
const KERNEL_SIGNS =
    /__global__|\b__kernel\b|#\s*pragma\s+omp\s+(?:.*\s)?target\b|<<<|\b(?:cl|hip|cuda|cu)[A-Z]\w*Launch|clCreateProgram|cl::Program|pyopencl/;

/** The documents that the server is told of; it stays silent about those without kernels. */
export const SELECTOR = ["file", "untitled"].flatMap((scheme) =>
    [...KERNEL_LANGUAGES, ...HOST_LANGUAGES].map((language) => ({ scheme, language })),
);

/** Whether a document is one that a person edits, of a language that kernels are written in. */
export function isSource(document: vscode.TextDocument): boolean {
    return isEdited(document) && (KERNEL_LANGUAGES.has(document.languageId) || HOST_LANGUAGES.has(document.languageId));
}

function isEdited({ uri }: vscode.TextDocument): boolean {
    return uri.scheme === "file" || uri.scheme === "untitled";
}

/** Whether a document is reason enough to start the server. C and C++ alone are not. */
export function mayHoldKernels(document: vscode.TextDocument): boolean {
    if (!isEdited(document)) {
        return false;
    }
    if (KERNEL_LANGUAGES.has(document.languageId) || KERNEL_FILES.test(document.uri.path)) {
        return true;
    }
    return HOST_LANGUAGES.has(document.languageId) && KERNEL_SIGNS.test(document.getText());
}

/** The editor that a command means: the active one, or else one that shows a source. */
export function sourceEditor(): vscode.TextEditor | undefined {
    const active = vscode.window.activeTextEditor;
    if (active && isSource(active.document)) {
        return active;
    }
    return vscode.window.visibleTextEditors.find((editor) => isSource(editor.document));
}
