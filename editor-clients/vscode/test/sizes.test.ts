/** Sizes that no source fixes, stated from the lens and the hover. */

import * as assert from "node:assert/strict";

import * as vscode from "vscode";

import { test, until } from "./harness";
import { allLenses, hover } from "./project";

const KERNEL = 1; // the 0-based line of the kernel
const SCALE = `#include <cstdlib>
__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(x, n);
}
`;

test("sizes that are assumed are stated from the lens and the hover", async () => {
    const document = await vscode.workspace.openTextDocument({ language: "cuda-cpp", content: SCALE });
    const editor = await vscode.window.showTextDocument(document);
    const before = await until(() => allLenses(document.uri), (all) => all.length > 1, "the lens");
    assert.match(before[0] ?? "", /^Bandwidth-bound, \d\d% sure, for assumed argv\[1\]/);
    assert.equal(before[1], "Set sizes...");
    const said = await hover(document.uri, KERNEL, 2);
    const links = [...said.matchAll(/\(command:[^)]*\)/g)];
    assert.equal(links.length, 1, said);
    assert.match(said, /\nSizes are assumed: \[Set sizes\.\.\.\]\(command:roofline\.setSizes\?[^)]*\)$/);
    await vscode.commands.executeCommand("roofline.setSizes", document.uri.toString(), { line: KERNEL, character: 16 });
    assert.match(document.lineAt(KERNEL).text, /^\/\/ roofline: n = \d+$/);
    const selected = vscode.window.activeTextEditor?.selection;
    assert.equal(document.getText(selected), document.lineAt(KERNEL).text.slice("// roofline: n = ".length));
    await until(() => allLenses(document.uri), (all) => all.length === 1 && !all[0]?.includes("assumed"), "the lens of stated sizes");
    assert.doesNotMatch(await hover(document.uri, KERNEL + 1, 2), /command:/);
    assert.equal(vscode.window.activeTextEditor?.document, editor.document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
});
