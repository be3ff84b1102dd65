/** Commands that turn features on and off, and what has to be asked anew when one was turned. */

import * as vscode from "vscode";

import { type Session } from "../server/session";
import { PROCESS_SETTINGS, SECTION, change, enabled, type Switch } from "../settings";

const TOGGLES: readonly [string, Switch][] = [
    ["roofline.toggleCodeLens", "codeLens"],
    ["roofline.toggleInlayHints", "inlayHints"],
    ["roofline.toggleLineHeat", "lineHeat"],
];

/** The client of the server that runs tells it of the change first; ending it under its hands would be shown as a fault. */
const CLIENT_TELLS_MS = 150;

export function registerSwitches(session: Session): vscode.Disposable {
    let restart: NodeJS.Timeout | undefined;
    return vscode.Disposable.from(
        new vscode.Disposable(() => { clearTimeout(restart); }),
        ...TOGGLES.map(([command, feature]) =>
            vscode.commands.registerCommand(command, async () => {
                await change(`${feature}.enabled`, !enabled(feature));
            }),
        ),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (PROCESS_SETTINGS.some((name) => event.affectsConfiguration(`${SECTION}.${name}`))) {
                clearTimeout(restart);
                restart = setTimeout(() => void session.settingsChanged(), CLIENT_TELLS_MS);
            } else if (event.affectsConfiguration(SECTION)) {
                session.refresh();
            }
        }),
    );
}
