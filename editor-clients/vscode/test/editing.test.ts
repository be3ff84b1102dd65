/** A person at work: lens, hover, hints, diagnostics, actions, the panel, another GPU. */

import * as assert from "node:assert/strict";

import * as vscode from "vscode";

import { type Panel } from "../src/features/panel";
import { lineHeatRequest, type LineHeat } from "../src/protocol";
import { PAGE } from "../src/features/explain";
import { change } from "../src/settings";
import { test, until } from "./harness";
import { actions, extension, hints, hover, lenses, open } from "./project";

const HORNER = 4; // the 0-based line of the kernel
const COPY = 17;
const SUM = 11;

test("a kernel file starts the server and gets lenses", async () => {
    const { document } = await open("horner.cu");
    const { session } = await extension();
    await until(() => session.status, (status) => status === "running", "the server's state");
    assert.match(session.about ?? "", /^roofline-lsp \S+/);
    const found = await until(() => lenses(document.uri), (all) => all.length === 2, "lenses");
    assert.match(found[0] ?? "", /^Compute-bound, \d\d% sure.* \| DP 1\.5 flop\/B \(ridge 0\.612\) \| .* on RTX 3080/);
    assert.match(found[1] ?? "", /^Bandwidth-bound, \d\d% sure.* \| INT/);
});

test("hover explains a kernel, a launch and a line", async () => {
    const { document } = await open("horner.cu");
    assert.match(await hover(document.uri, HORNER, 18), /^\*\*Compute-bound\*\*/);
    assert.match(await hover(document.uri, 34, 6), /^\*\*Bandwidth-bound\*\*/);
    assert.match(await hover(document.uri, SUM, 14), /100% of the DP operations/);
    assert.equal(await hover(document.uri, 0, 3), "");
});

test("inlay hints come with their switch", async () => {
    const { document } = await open("horner.cu");
    assert.deepEqual(await hints(document.uri), []);
    await change("inlayHints.enabled", true);
    const found = await until(() => hints(document.uri), (all) => all.length > 0, "inlay hints");
    assert.ok(found.includes(`${SUM} 100% DP`), found.join());
    assert.ok(found.includes("20 100% DRAM"), found.join());
    await change("inlayHints.enabled", undefined);
});

test("each feature goes with its switch", async () => {
    const { document } = await open("horner.cu");
    await change("codeLens.enabled", false);
    await change("hover.enabled", false);
    assert.deepEqual(await lenses(document.uri), []);
    assert.equal(await hover(document.uri, HORNER, 18), "");
    await change("codeLens.enabled", undefined);
    await change("hover.enabled", undefined);
    assert.equal((await lenses(document.uri)).length, 2);
});

test("line heat tells the lines that decide", async () => {
    const { document } = await open("horner.cu");
    const { session } = await extension();
    const about = { textDocument: { uri: document.uri.toString() } };
    const heat = await session.client?.sendRequest<LineHeat[]>(lineHeatRequest.method, about);
    assert.deepEqual(heat?.find((line) => line.line === SUM), { line: SUM, share: 1, resource: "DP", kernel: "horner" });
});

test("what cannot be read is reported", async () => {
    const { document } = await open("broken.cu");
    const found = await until(
        () => vscode.languages.getDiagnostics(document.uri),
        (all) => all.length > 0,
        "diagnostics",
    );
    assert.match(found[0]?.message ?? "", /syntax error, not read/);
    assert.equal(found[0]?.source, "roofline-lsp");
    assert.equal(found[0].range.start.line, 3);
});

test("a kernel's actions are the twins of its lens", async () => {
    const { document } = await open("horner.cu");
    const titles = (await actions(document.uri, COPY)).map((action) => action.title);
    assert.match(titles[0] ?? "", /^Roofline: Bandwidth-bound, \d\d% sure/);
    assert.ok(titles.includes("Roofline: compare GPUs for copy"));
    assert.ok(titles.includes("Roofline: show copy in the roofline"));
    assert.deepEqual((await actions(document.uri, 22)).map((action) => action.title), [
        "Suggest optimizations for copy",
        "Show what would be sent to the model for copy",
    ]);
});

test("the details go to the kernel", async () => {
    const editor = await open("horner.cu");
    editor.selection = new vscode.Selection(21, 0, 21, 0);
    await vscode.commands.executeCommand("roofline.showDetails");
    assert.deepEqual(vscode.window.activeTextEditor?.selection.active, new vscode.Position(COPY, 16));
});

test("the panel follows typing and the GPU", async () => {
    const editor = await open("horner.cu");
    const panel = await vscode.commands.executeCommand<Panel>("roofline.showRoofline");
    const kernels = () => panel.drawn?.report?.files.flatMap((file) => file.kernels.map((kernel) => kernel.base_name));
    await until(kernels, (names) => names?.join() === "horner,copy", "the panel's kernels");
    const end = new vscode.Position(23, 0);
    const added = "\n__global__ void fill(float* y) { y[threadIdx.x] = 0.0f; }\n";
    await editor.edit((edit) => { edit.insert(end, added); });
    await until(kernels, (names) => names?.join() === "horner,copy,fill", "the panel's kernels after typing");
    await vscode.commands.executeCommand("undo");
    await until(kernels, (names) => names?.join() === "horner,copy", "the panel's kernels after undo");
    await vscode.commands.executeCommand("roofline.selectGpu", "A100");
    await until(() => panel.drawn?.report?.gpu.name, (name) => name === "A100 SXM4 40GB", "the panel's GPU");
    await change("gpu", undefined);
    await vscode.commands.executeCommand("workbench.action.closeEditorsInOtherGroups");
});

test("another GPU changes the class", async () => {
    const { document } = await open("horner.cu");
    await vscode.commands.executeCommand("roofline.selectGpu", "A100");
    await until(() => lenses(document.uri), (all) => /^Bandwidth-bound.*A100/.test(all[0] ?? ""), "the lens for an A100");
    assert.match(await hover(document.uri, HORNER, 18), /^\*\*Bandwidth-bound\*\*/);
    await change("gpu", undefined);
    await until(() => lenses(document.uri), (all) => /^Compute-bound.*RTX 3080/.test(all[0] ?? ""), "the lens for an RTX 3080");
});

function explained(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find((each) => each.document.uri.path === `/${PAGE}`);
}

test("the kernel at the cursor is explained beside the source, and the page follows the cursor", async () => {
    const editor = await open("horner.cu");
    editor.selection = new vscode.Selection(HORNER, 18, HORNER, 18);
    await vscode.commands.executeCommand("roofline.explainKernel");
    const page = await until(explained, (shown) => shown !== undefined, "the page");
    assert.match(page?.document.getText() ?? "", /^horner\.cu:5 {2}horner\(.*\n(.*\n)*^ {2}1 {2}Values from the host\n(.*\n)* {2}8 {2}What assumptions are worth/m);
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), editor.document.uri.toString());
    const heads = () => page?.visibleRanges.length ?? 0;
    await until(heads, (ranges) => ranges > 1, "parts of the page that are not folded");
    editor.selection = new vscode.Selection(20, 4, 20, 4);
    await until(() => explained()?.document.getText() ?? "", (text) => / copy\(/.test(text) && !/ horner\(/.test(text), "the page on the other kernel");
    await vscode.commands.executeCommand("workbench.action.closeEditorsInOtherGroups");
});

test("a kernel is compared with its text before an edit, and with another kernel, in a page", async () => {
    const { document } = await open("horner.cu");
    const textDocument = { uri: document.uri.toString() };
    const position = { line: HORNER, character: 18 };
    const text = document.getText().replace(/^/, "// one line more\n");
    const before = { textDocument, text, label: "before" };
    await vscode.commands.executeCommand("roofline.compareKernels", [before, { textDocument, position }]);
    const page = await vscode.workspace.openTextDocument(vscode.Uri.parse("roofline-page:/Comparison of horner.md"));
    assert.match(page.getText(), /`before` \|.*`horner\.cu` \|/);
    assert.match(page.getText(), /Each line has the same operations and DRAM bytes\./);
    const copy = { textDocument, position: { line: COPY, character: 18 } };
    await vscode.commands.executeCommand("roofline.compareKernels", [{ textDocument, position }, copy]);
    const two = await vscode.workspace.openTextDocument(vscode.Uri.parse("roofline-page:/Comparison of horner and copy.md"));
    assert.match(two.getText(), /\| class +\| +CB, .*\| +BB, /);
    await vscode.commands.executeCommand("workbench.action.closeEditorsInOtherGroups");
});

test("GPUs are compared in a page", async () => {
    const { document } = await open("horner.cu");
    await vscode.commands.executeCommand("roofline.compareGpus", document.uri.toString(), undefined, ["RTX 3080", "A100"]);
    const page = await vscode.workspace.openTextDocument(vscode.Uri.parse("roofline-page:/Compare GPUs.md"));
    assert.match(page.getText(), /\| RTX 3080 10GB \| CB .*\n\| A100 SXM4 40GB \| BB /);
    await vscode.commands.executeCommand("workbench.action.closeEditorsInOtherGroups");
});
