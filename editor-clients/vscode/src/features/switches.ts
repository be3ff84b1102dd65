/** Commands that turn features on and off, and what has to be asked anew when one was turned. */

import * as vscode from "vscode";

import { type Session } from "../server/session";
import { SECTION, change, enabled, type Switch } from "../settings";

const TOGGLES: readonly [string, Switch][] = [
    ["roofline.toggleCodeLens", "codeLens"],
    ["roofline.toggleInlayHints", "inlayHints"],
    ["roofline.toggleLineHeat", "lineHeat"],
];

/** Settings that need a new server. The server takes all others as they change. */
const OF_THE_PROCESS = ["roofline.server.path", "roofline.server.extraArguments"];

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
            if (OF_THE_PROCESS.some((section) => event.affectsConfiguration(section))) {
                clearTimeout(restart);
                restart = setTimeout(() => void session.start(), CLIENT_TELLS_MS);
            } else if (event.affectsConfiguration(SECTION)) {
                session.refresh();
            }
        }),
    );
}
