/** The extension's settings, and the part of them that the server is told. */

import * as vscode from "vscode";

/** Settings that need a new server. The server takes all others as they change. */
export const PROCESS_SETTINGS = ["server.path", "server.extraArguments"] as const;

export const SECTION = "roofline";

/** Settings of the analysis, by the names that the server knows too. */
export const SERVER_SETTINGS = ["gpu", "clock", "rule", "compiler", "args", "defines", "includeDirs", "compileCommands", "exclude", "select", "ignore", "notes", "settingsProfile"];

/** Those of the advisor, which the server takes as one table. */
const ADVISOR_SETTINGS = ["enabled", "model", "baseUrl", "budgetTokens"];

/** Features with a switch of their own. */
export type Switch = "codeLens" | "hover" | "inlayHints" | "lineHeat" | "diagnostics";

export function enabled(feature: Switch, uri?: vscode.Uri): boolean {
    return vscode.workspace.getConfiguration(SECTION, uri).get<boolean>(`${feature}.enabled`, true);
}

/**
 * What a person has set of the analysis. Defaults are left out, because what the editor sends goes
 * before a project's `roofline.toml`.
 */
export function serverSettings(uri?: vscode.Uri): Record<string, unknown> {
    const configuration = vscode.workspace.getConfiguration(SECTION, uri ?? null);
    const settings = collected(configuration, SERVER_SETTINGS);
    const advisor = collected(vscode.workspace.getConfiguration(`${SECTION}.advisor`, uri ?? null), ADVISOR_SETTINGS, own);
    return Object.keys(advisor).length ? { ...settings, advisor } : settings;
}

type Read = (configuration: vscode.WorkspaceConfiguration, name: string) => unknown;

function collected(
    configuration: vscode.WorkspaceConfiguration,
    names: readonly string[],
    read: Read = chosen,
): Record<string, unknown> {
    const values = names.map((name) => [name, read(configuration, name)] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null && value !== ""));
}

function chosen(configuration: vscode.WorkspaceConfiguration, name: string): unknown {
    const found = configuration.inspect(name);
    return found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
}

/** What a person set for all workspaces: a folder's own settings come from whoever made the folder. */
function own(configuration: vscode.WorkspaceConfiguration, name: string): unknown {
    return configuration.inspect(name)?.globalValue;
}

/** Set a setting where a person would look for it: in the workspace, if there is one. */
export async function change(name: string, value: unknown): Promise<void> {
    const configuration = vscode.workspace.getConfiguration(SECTION);
    const target = vscode.workspace.workspaceFolders?.length
        ? vscode.ConfigurationTarget.Workspace
        : vscode.ConfigurationTarget.Global;
    await configuration.update(name, value, target);
}
