/** "Install": the server in an environment of the extension's own, with what is done said while it is done. */

import { existsSync } from "node:fs";

import * as vscode from "vscode";

import { SECTION } from "../settings";
import { plain } from "../text";
import { InstallError, makeEnvironment, removeOlder, type Installed, type Remedy } from "./environment";
import { removePath } from "./firstRun";
import { chosenPython } from "./python";
import { type Session } from "./session";

const WINDOWS = process.platform === "win32";
const SHOW = "Show Output";
const REMEDIES: Record<Remedy, readonly [string, string]> = {
    python: ["Choose Python...", "roofline.choosePython"],
    wheels: ["Open Settings", "roofline.openWheelsSetting"],
    output: ["Try Again", "roofline.installServer"],
};

/** The folder of the extension's storage that environments are made in. */
export function storageOf(context: vscode.ExtensionContext): string {
    return vscode.Uri.joinPath(context.globalStorageUri, "python").fsPath;
}

export function registerInstall(session: Session, extension: vscode.Uri, storage: string): vscode.Disposable {
    let underWay: Promise<void> | undefined;
    return vscode.Disposable.from(
        vscode.commands.registerCommand("roofline.installServer", async () => {
            underWay ??= install(session, extension, storage).finally(() => {
                underWay = undefined;
            });
            await underWay;
        }),
        vscode.commands.registerCommand("roofline.choosePython", choosePython),
        vscode.commands.registerCommand("roofline.openWheelsSetting", () =>
            vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.server.wheels`),
        ),
    );
}

async function install(session: Session, extension: vscode.Uri, storage: string): Promise<void> {
    try {
        const installed = await withProgress(session, extension, storage);
        await session.useInstalled();
        await removeOlder(storage);
        await tellInstalled(installed, storage);
    } catch (error) {
        if (!(error instanceof InstallError)) {
            throw error;
        }
        session.log.error(error.message);
        await tell(session, error);
    }
}

function withProgress(session: Session, extension: vscode.Uri, storage: string): Thenable<Installed> {
    const options = { location: vscode.ProgressLocation.Notification, title: "Roofline", cancellable: true };
    return vscode.window.withProgress(options, async (progress, token) => {
        const ending = new AbortController();
        token.onCancellationRequested(() => { ending.abort(); });
        let step = "";
        return makeEnvironment({
            storage,
            wheels: wheelsOf(extension),
            python: configured("server.python") || undefined,
            pythons: await pythons(),
            signal: ending.signal,
            step: (text) => {
                step = text;
                session.log.info(text);
                progress.report({ message: text });
            },
            line: (text) => {
                session.log.info(text);
                const part = /^(?:Collecting|Downloading|Processing|Prepared|Installed|Installing) .*$/.exec(text.trim());
                if (part) {
                    progress.report({ message: `${step}: ${part[0].slice(0, 60)}` });
                }
            },
        });
    });
}

/** The folder of wheels that a person set, or the one that comes with a package of the extension for a platform. */
function wheelsOf(extension: vscode.Uri): string | undefined {
    const set = configured("server.wheels");
    const own = vscode.Uri.joinPath(extension, "wheels").fsPath;
    return set || (existsSync(own) ? own : undefined);
}

/** The interpreters to try. That of a workspace counts where the workspace is trusted. */
async function pythons(): Promise<string[]> {
    const chosen = vscode.workspace.isTrusted ? await chosenPython() : undefined;
    const names = WINDOWS ? ["python", "python3", "py"] : ["python3", "python3.13", "python3.12", "python3.11", "python"];
    return [...(chosen ? [chosen] : []), ...names];
}

/** A setting of a person's own, which no workspace can set. */
function configured(name: string): string {
    return vscode.workspace.getConfiguration(SECTION).get<string>(name, "").trim();
}

async function tell(session: Session, error: InstallError): Promise<void> {
    const [label, command] = REMEDIES[error.remedy];
    const answer = await vscode.window.showErrorMessage(plain(error.message), label, SHOW);
    if (answer === SHOW) {
        session.log.show();
    } else if (answer === label) {
        await vscode.commands.executeCommand(command);
    }
}

async function tellInstalled(installed: Installed, storage: string): Promise<void> {
    const done = `roofline-lsp ${installed.version} is installed, in an environment of its own: ${storage}.`;
    if (!configured("server.path")) {
        void vscode.window.showInformationMessage(done);
        return;
    }
    const remove = "Remove the Setting";
    const other = `${done} The setting roofline.server.path names another program, which goes before it.`;
    if ((await vscode.window.showWarningMessage(other, remove)) === remove) {
        await removePath();
    }
}

/** Have a person point at an interpreter, and install with it. */
async function choosePython(): Promise<void> {
    const [chosen] = (await vscode.window.showOpenDialog({ title: "A Python, 3.11 or newer", openLabel: "Use This Python" })) ?? [];
    if (chosen) {
        const configuration = vscode.workspace.getConfiguration(SECTION);
        await configuration.update("server.python", chosen.fsPath, vscode.ConfigurationTarget.Global);
        await vscode.commands.executeCommand("roofline.installServer");
    }
}
