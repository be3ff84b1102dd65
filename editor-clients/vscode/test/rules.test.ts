/** Findings of rules, with a server that has them. */

import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";

import * as vscode from "vscode";

import { rulesOf } from "../src/features/rules";
import { test, until } from "./harness";
import { open } from "./project";

const CODE = "RL201";

function serverHasRules(): Promise<boolean> {
    const program = vscode.workspace.getConfiguration("roofline").get("server.path", "");
    return new Promise((resolve) => {
        execFile(program, ["rules"], (error) => { resolve(error === null); });
    });
}

test("a quick fix is applied and its finding goes", async () => {
    if (!(await serverHasRules())) {
        console.log("# left out: this server has no rules");
        return;
    }
    const editor = await open("halves.cu");
    const { document } = editor;
    const found = await until(
        () => vscode.languages.getDiagnostics(document.uri).filter((each) => codeOf(each) === CODE),
        (all) => all.length === 1,
        "the finding",
    );
    editor.selection = new vscode.Selection(7, 0, 7, 0);
    assert.deepEqual(rulesOf(editor).map((rule) => rule.label), [CODE]);
    const range = found[0]?.range ?? new vscode.Range(7, 0, 7, 0);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", document.uri, range);
    const fix = actions.find((action) => action.title.endsWith(`[${CODE}]`));
    assert.ok(fix?.edit, actions.map((action) => action.title).join());
    assert.equal(await vscode.workspace.applyEdit(fix.edit), true);
    assert.equal(document.lineAt(7).text, "            v = v * 0.5f + 1.0f;");
    await until(
        () => vscode.languages.getDiagnostics(document.uri).map(codeOf),
        (codes) => !codes.includes(CODE),
        "the findings after the fix",
    );
    await vscode.commands.executeCommand("undo");
});

function codeOf(diagnostic: vscode.Diagnostic): string {
    return typeof diagnostic.code === "object" ? String(diagnostic.code.value) : String(diagnostic.code);
}
