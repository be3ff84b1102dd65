/** What a person is told when the server cannot be found or is too old, and how to go on. */

import * as vscode from "vscode";

import { type Found } from "./find";
import { chosenPython } from "./python";
import { OLDEST } from "./version";

const INSTALL = "Install...";
const CHOOSE = "Choose Program...";
const MORE = "Get Started";

/** Told once a session unless a person asks again. */
export async function offerInstallation(tried: readonly string[], log: vscode.LogOutputChannel): Promise<void> {
    for (const line of tried) {
        log.warn(`not the server: ${line}`);
    }
    const answer = await vscode.window.showWarningMessage(
        "Roofline needs the program roofline-lsp, which was not found. It runs on this machine and needs Python 3.11 or newer, no GPU and no compiler.",
        INSTALL,
        CHOOSE,
        MORE,
    );
    if (answer === INSTALL) {
        await typeInstallation("install");
    } else if (answer === CHOOSE) {
        await chooseProgram();
    } else if (answer === MORE) {
        await openWalkthrough();
    }
}

export async function warnOfAge(found: Found): Promise<void> {
    const update = "Update...";
    const answer = await vscode.window.showWarningMessage(
        `roofline-lsp ${found.version} (${found.origin}) is older than ${OLDEST}, which this extension is made for. Some features may be missing.`,
        update,
    );
    if (answer === update) {
        await typeInstallation("install --upgrade");
    }
}

/** Type the command into a terminal, and leave it to the person to run it. */
async function typeInstallation(what: string): Promise<void> {
    const python = (await chosenPython()) ?? (process.platform === "win32" ? "py" : "python3");
    const terminal = vscode.window.createTerminal("Roofline");
    terminal.show();
    terminal.sendText(`"${python}" -m pip ${what} roofline-lsp`, false);
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
