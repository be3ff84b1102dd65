/** A workspace that is not trusted, and what changes when it is. These tests come first. */

import * as assert from "node:assert/strict";

import * as vscode from "vscode";

import { test, until } from "./harness";
import { extension, hover, lenses, open } from "./project";

/** What the driver of the browser waits for to give its trust as a person would. */
export const ASKS_FOR_TRUST = "waiting for trust";

test("without trust no process is started and nothing is sent", async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    const { document } = await open("horner.cu");
    const { session } = await extension();
    await vscode.commands.executeCommand("roofline.restartServer");
    await vscode.commands.executeCommand("roofline.selectGpu");
    assert.equal(session.status, "untrusted");
    assert.equal(session.client, undefined);
    assert.deepEqual(await lenses(document.uri), []);
    assert.equal(await hover(document.uri, 4, 18), "");
});

test("with trust the server starts", async () => {
    const { session } = await extension();
    console.log(ASKS_FOR_TRUST);
    await until(() => session.status, (status) => status === "running", "the server's state");
});
