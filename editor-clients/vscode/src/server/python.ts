/** The interpreter that is chosen in the Python extension. */

import * as vscode from "vscode";

/** The part of the Python extension's API that is used here. */
interface PythonApi {
    environments?: {
        getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
        resolveEnvironment(path: { path: string }): Promise<
            { executable: { uri?: vscode.Uri | undefined } } | undefined
        >;
        onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
    };
}

async function api(): Promise<PythonApi["environments"]> {
    const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
    if (!extension) {
        return undefined;
    }
    try {
        return (await extension.activate()).environments;
    } catch {
        return undefined; // its own faults are its own to tell
    }
}

/** The path of the interpreter, undefined without the extension or a choice in it. */
export async function chosenPython(): Promise<string | undefined> {
    const environments = await api();
    if (!environments) {
        return undefined;
    }
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
    return environment?.executable.uri?.fsPath;
}

/** Call back when another interpreter is chosen. */
export async function onPythonChanged(changed: () => void): Promise<vscode.Disposable | undefined> {
    return (await api())?.onDidChangeActiveEnvironmentPath(changed);
}
