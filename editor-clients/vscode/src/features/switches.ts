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

export function registerSwitches(session: Session): vscode.Disposable {
    return vscode.Disposable.from(
        ...TOGGLES.map(([command, feature]) =>
            vscode.commands.registerCommand(command, async () => {
                await change(`${feature}.enabled`, !enabled(feature));
            }),
        ),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (OF_THE_PROCESS.some((section) => event.affectsConfiguration(section))) {
                void session.start();
            } else if (event.affectsConfiguration(SECTION)) {
                session.refresh();
            }
        }),
    );
}
