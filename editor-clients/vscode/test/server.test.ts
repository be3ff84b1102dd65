/** The server's life: killed, gone, another one. */

import * as assert from "node:assert/strict";

import * as vscode from "vscode";
import { type LanguageClient } from "vscode-languageclient/node";

import { findServer } from "../src/server/find";
import { test, until } from "./harness";
import { extension, lenses, open } from "./project";

/** A storage in which nothing was installed. */
const NOWHERE = "/nowhere";

function processOf(client: LanguageClient | undefined): number {
    const id = client?.serverProcess?.pid;
    assert.ok(id, "the server has no process");
    return id;
}

test("a killed server comes back", async () => {
    const { document } = await open("horner.cu");
    const { session } = await extension();
    await until(() => lenses(document.uri), (all) => all.length === 2, "lenses");
    const before = processOf(session.client);
    process.kill(before, "SIGKILL");
    await until(
        () => session.client?.serverProcess?.pid,
        (id) => id !== undefined && id !== before,
        "the new server's process",
    );
    await until(() => lenses(document.uri), (all) => all.length === 2, "lenses of the new server");
});

test("restarting makes a new process", async () => {
    const { document } = await open("horner.cu");
    const { session } = await extension();
    const before = processOf(session.client);
    await vscode.commands.executeCommand("roofline.restartServer");
    assert.notEqual(processOf(session.client), before);
    await until(() => lenses(document.uri), (all) => all.length === 2, "lenses");
});

test("a program that is not there is told with the reason", async () => {
    const { session } = await extension();
    const configuration = vscode.workspace.getConfiguration("roofline");
    const target = vscode.ConfigurationTarget.Workspace;
    const before = configuration.inspect<string>("server.path")?.workspaceValue;
    const here = vscode.extensions.getExtension("roofline-lsp.roofline-lsp")?.extensionUri ?? vscode.Uri.file("/");
    await configuration.update("server.path", "/nowhere/roofline-lsp", target);
    await until(() => session.status, (status) => status === "missing", "the state without a program");
    assert.deepEqual(await findServer(here, NOWHERE), {
        tried: ["/nowhere/roofline-lsp (the setting roofline.server.path): there is no such program"],
    });
    await configuration.update("server.path", "/bin/echo", target);
    const { tried } = await findServer(here, NOWHERE);
    assert.match(tried[0] ?? "", /is another program$/);
    await configuration.update("server.path", before, target);
    await until(() => session.status, (status) => status === "running", "the state with the program again");
});
