/** The view of the workspace's kernels, and the status bar's word on the one at the cursor. */

import * as assert from "node:assert/strict";

import * as vscode from "vscode";

import { kernelAround } from "../src/features/kernelStatus";
import { KernelTree, SHAPES, type Node } from "../src/features/kernelTree";
import { EVERYTHING, type WorkspaceKernel } from "../src/kernels/listing";
import { MOST_FILES } from "../src/kernels/store";
import { change } from "../src/settings";
import { test, until } from "./harness";
import { extension, open } from "./project";

function named(node: Node): string {
    return "kernels" in node ? node.key : node.kernel.base_name;
}

test("the kernels of all files of the workspace are in the view, headers and OpenMP too", async () => {
    await open("horner.cu");
    const { kernels } = await extension();
    await kernels.read();
    assert.equal(kernels.reading, "read");
    const files = new Set(kernels.kernels.map((each) => each.uri.split("/").at(-1)));
    assert.ok(["horner.cu", "halves.cu", "scaled.h", "region.cpp"].every((name) => files.has(name)), [...files].join());
    const region = kernels.kernels.find((each) => each.uri.endsWith("/region.cpp"));
    assert.equal(region?.kernel.prediction.class, "BB");
    assert.deepEqual(kernels.notes, []);
});

test("the view has groups by class, with a shape for each, and the details of a kernel", async () => {
    const { kernels } = await extension();
    await kernels.need();
    const tree = new KernelTree(kernels, { by: "class", order: "time", filter: EVERYTHING });
    const groups = tree.getChildren();
    assert.deepEqual(groups.map(named).slice(0, 2), ["CB", "BB"]);
    const [compute] = groups;
    assert.ok(compute);
    const horner = tree.getChildren(compute).find((node) => named(node) === "horner");
    assert.ok(horner);
    const item = tree.getTreeItem(horner);
    assert.match(String(item.description), /^[\d.]+ [nµm]?s · \d\d% sure$/);
    assert.match(item.accessibilityInformation?.label ?? "", /^horner, Compute-bound, /);
    assert.equal(new Set(Object.values(SHAPES).map(([shape]) => shape)).size, 3);
    tree.arrange({ filter: { classes: ["BB"], leastNs: 0 } });
    assert.deepEqual(tree.getChildren().map(named), ["BB"]);
    assert.match(tree.message(), /^\d+ of \d+ kernels: bandwidth-bound\.$/);
    tree.arrange({ by: "file", filter: EVERYTHING });
    assert.ok(tree.getChildren().every((node) => named(node).startsWith("file:")));
    tree.dispose();
});

test("the view follows typing", async () => {
    const editor = await open("horner.cu");
    const { kernels } = await extension();
    await kernels.need();
    const count = () => kernels.kernels.filter((each) => each.uri === editor.document.uri.toString()).length;
    await until(count, (found) => found === 2, "the kernels of the file");
    await editor.edit((edit) => { edit.insert(new vscode.Position(23, 0), "\n__global__ void fill(float* y) { y[threadIdx.x] = 0.0f; }\n"); });
    await until(count, (found) => found === 3, "the kernels after typing");
    await vscode.commands.executeCommand("undo");
    await until(count, (found) => found === 2, "the kernels after undo");
});

test("what changed is read anew at once where somebody looks, and else when somebody does", async () => {
    await open("horner.cu");
    const { kernels } = await extension();
    await kernels.read();
    const gpus = () => [...new Set(kernels.kernels.map((each) => each.gpu))].join();
    const looking = kernels.shownBy(() => true);
    await change("gpu", "A100");
    await until(gpus, (found) => found === "A100 SXM4 40GB", "the GPU of all kernels");
    looking.dispose();
    await change("gpu", undefined);
    await until(() => kernels.reading, (reading) => reading === "not asked", "the state that nobody looks at");
    await kernels.need();
    assert.equal(gpus(), "GeForce RTX 3080 10GB");
});

test("a kernel of the view opens at its line", async () => {
    const { kernels } = await extension();
    await kernels.need();
    const copy = kernels.kernels.find((each) => each.kernel.base_name === "copy") as WorkspaceKernel;
    await vscode.commands.executeCommand("roofline.openKernel", copy);
    assert.deepEqual(vscode.window.activeTextEditor?.selection.active, new vscode.Position(17, 16));
});

test("limits are said", async () => {
    const { kernels } = await extension();
    const files = Array.from({ length: MOST_FILES + 1 }, (_, at) => `file:///p/${at}.cu`);
    Object.assign(kernels, { files, missing: ["file:///p/slow.cu"], problems: ["/p/x.cu: not read", "/p/y.cu: not read"] });
    assert.deepEqual(kernels.notes, [
        "5000 of 5001 files with kernels are shown: open a smaller folder, or exclude some.",
        "Not analysed in time: slow.cu (1).",
        "/p/x.cu: not read (and 1 more).",
    ]);
    await kernels.read();
    assert.deepEqual(kernels.notes, []);
});

test("the kernel around a line", async () => {
    const two = [{ range: { line: 5, end_line: 9 } }, { range: { line: 11, end_line: 11 } }];
    assert.deepEqual([4, 5, 9, 10, 11].map((line) => two.findIndex((each) => each === kernelAround(two, line))), [-1, 0, 0, -1, 1]);
    await Promise.resolve();
});
