/** The extension: a session with the server, and one module a feature around it. */

import * as vscode from "vscode";

import { registerCompare } from "./features/compare";
import { registerCompareVariants } from "./features/compareVariants";
import { confirm } from "./features/confirm";
import { registerDetails } from "./features/details";
import { registerExplain } from "./features/explain";
import { registerGpu } from "./features/gpu";
import { registerKernelStatus } from "./features/kernelStatus";
import { registerKernelTree } from "./features/kernelTree";
import { registerLineHeat } from "./features/lineHeat";
import { Pages } from "./features/pages";
import { registerPanel } from "./features/panel";
import { registerRules } from "./features/rules";
import { registerServerCommands } from "./features/serverCommands";
import { registerSetSizes, sizesLink } from "./features/setSizes";
import { registerSettingsProfile } from "./features/settingsProfile";
import { registerSwitches } from "./features/switches";
import { KernelStore } from "./kernels/store";
import { chooseProgram, offerInstallation, openWalkthrough } from "./server/firstRun";
import { registerInstall, storageOf } from "./server/install";
import { onPythonChanged } from "./server/python";
import { Session } from "./server/session";

let session: Session | undefined;

/** What the extension's tests get hold of. */
export interface Api {
    session: Session;
    kernels: KernelStore;
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
    const log = vscode.window.createOutputChannel("Roofline", { log: true });
    const pages = new Pages();
    const storage = storageOf(context);
    const started = (session = new Session(context.extensionUri, storage, log, {
        confirmEdit: (client, params) => confirm(client, pages, params),
        addToHover: sizesLink,
    }));
    const kernels = new KernelStore(started);
    context.subscriptions.push(
        kernels,
        log,
        started,
        pages,
        registerGpu(started, context.globalState),
        registerSettingsProfile(started),
        registerDetails(started),
        registerLineHeat(started),
        registerKernelTree(started, kernels, context.workspaceState),
        registerKernelStatus(started),
        registerPanel(started, kernels, context.extensionUri),
        registerCompare(started, pages, context.globalState),
        registerCompareVariants(started, pages),
        registerExplain(started, pages),
        registerRules(),
        registerSetSizes(started),
        registerInstall(started, context.extensionUri, storage),
        registerServerCommands(started, pages),
        registerSwitches(started),
        vscode.commands.registerCommand("roofline.restartServer", () => started.start()),
        vscode.commands.registerCommand("roofline.showOutput", () => { log.show(); }),
        vscode.commands.registerCommand("roofline.chooseServer", chooseProgram),
        vscode.commands.registerCommand("roofline.openWalkthrough", openWalkthrough),
        vscode.commands.registerCommand("roofline.setUp", () => offerInstallation([], log, storage)),
        vscode.workspace.onDidGrantWorkspaceTrust(() => started.trusted()),
        vscode.window.onDidChangeWindowState(({ focused }) => focused && started.lookAgain()),
        vscode.window.onDidCloseTerminal(() => started.lookAgain()),
        vscode.workspace.onDidOpenTextDocument(() => started.startIfUseful()),
        vscode.workspace.onDidChangeTextDocument(() => started.startIfUseful()),
    );
    await started.startIfUseful();
    const watching = await onPythonChanged(() => void started.pythonChanged());
    if (watching) {
        context.subscriptions.push(watching);
    }
    return { session: started, kernels };
}

export async function deactivate(): Promise<void> {
    await session?.stop();
}
