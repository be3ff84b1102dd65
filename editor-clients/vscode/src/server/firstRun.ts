/** What a person is told when the server cannot be found or is too old, and how to go on. */

import * as vscode from "vscode";

import { SECTION } from "../settings";
import { plain } from "../text";
import { installedPython } from "./environment";
import { type Found } from "./find";
import { OLDEST } from "./version";

const INSTALL = "Install";
const CHOOSE = "Choose Program...";
const USE_OWN = "Use the Installed One";
const MORE = "Get Started";

/** Told once a session unless a person asks again. `storage`: where the extension's own environments are. */
export async function offerInstallation(tried: readonly string[], log: vscode.LogOutputChannel, storage: string): Promise<void> {
    for (const line of tried) {
        log.warn(`not the server: ${line}`);
    }
    const hasOwn = setPath() !== "" && (await installedPython(storage)) !== undefined;
    const remedy = hasOwn
        ? "Remove the setting, and use the one that the extension has installed?"
        : "Install it into an environment of the extension's own? It runs on this machine, needs Python 3.11 or newer, no GPU and no compiler.";
    const answer = await vscode.window.showWarningMessage(plain(`${why()} ${remedy}`), hasOwn ? USE_OWN : INSTALL, CHOOSE, MORE);
    if (answer === INSTALL) {
        await vscode.commands.executeCommand("roofline.installServer");
    } else if (answer === USE_OWN) {
        await removePath();
    } else if (answer === CHOOSE) {
        await chooseProgram();
    } else if (answer === MORE) {
        await openWalkthrough();
    }
}

export async function warnOfAge(found: Found): Promise<void> {
    const update = "Install Newer";
    const answer = await vscode.window.showWarningMessage(
        `roofline-lsp ${found.version} (${found.origin}) is older than ${OLDEST}, which this extension is made for. Some features may be missing.`,
        update,
    );
    if (answer === update) {
        await vscode.commands.executeCommand("roofline.installServer");
    }
}

/** What is missing: a program that was set is another thing to mend than one that was never there. */
function why(): string {
    const set = setPath();
    const where = vscode.env.remoteName ? " It is taken from the settings of the remote machine, the tab Remote." : "";
    return set
        ? `The program of the setting roofline.server.path, ${set}, does not answer as roofline-lsp.${where}`
        : "Roofline needs the program roofline-lsp, which was not found.";
}

function setPath(): string {
    return vscode.workspace.getConfiguration(SECTION).get<string>("server.path", "").trim();
}

/** Take the setting of the program's path away, where it is set. */
export async function removePath(): Promise<void> {
    const configuration = vscode.workspace.getConfiguration(SECTION);
    const inWorkspace = configuration.inspect("server.path")?.workspaceValue !== undefined;
    const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    await configuration.update("server.path", undefined, target);
}

/** Have a person point at the program. */
export async function chooseProgram(): Promise<void> {
    const [chosen] =
        (await vscode.window.showOpenDialog({ title: "The program roofline-lsp", openLabel: "Use This Program" })) ?? [];
    if (chosen) {
        const target = vscode.ConfigurationTarget.Global;
        await vscode.workspace.getConfiguration("roofline").update("server.path", chosen.fsPath, target);
    }
}

export async function openWalkthrough(): Promise<void> {
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", "roofline-lsp.roofline-lsp#start", false);
}
