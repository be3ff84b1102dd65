/** The profile of the settings in the status bar, where the settings file has some, and the list to switch by. */

import * as vscode from "vscode";

import { isSource, sourceEditor } from "../documents";
import { settingsProfilesRequest, type SettingsProfiles } from "../protocol";
import { type Session } from "../server/session";
import { SECTION, change } from "../settings";
import { plain } from "../text";

export function registerSettingsProfile(session: Session): vscode.Disposable {
    const item = vscode.window.createStatusBarItem("roofline.settingsProfile", vscode.StatusBarAlignment.Right, 89);
    item.name = "Roofline Settings Profile";
    item.command = { command: "roofline.selectSettingsProfile", title: "Select Settings Profile" };
    let turn = 0;
    const update = async () => {
        const mine = ++turn;
        const editor = vscode.window.activeTextEditor;
        const found = editor && isSource(editor.document) ? await profilesOf(session) : undefined;
        if (mine === turn) {
            show(item, found);
        }
    };
    const soon = () => void update();
    soon();
    return vscode.Disposable.from(
        item,
        vscode.commands.registerCommand("roofline.selectSettingsProfile", async (name?: unknown) => {
            await select(session, typeof name === "string" ? name : undefined);
        }),
        session.onStatus(soon),
        session.onAnalysed(soon),
        vscode.window.onDidChangeActiveTextEditor(soon),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration(SECTION)) {
                soon();
            }
        }),
    );
}

/** The profiles that the file of the present editor can use. */
export async function profilesOf(session: Session): Promise<SettingsProfiles | undefined> {
    const editor = sourceEditor();
    const about = editor ? { textDocument: { uri: editor.document.uri.toString() } } : {};
    try {
        return await session.client?.sendRequest(settingsProfilesRequest, about);
    } catch (error) {
        session.log.debug(`no settings profiles: ${String(error)}`); // as of an older server, or while it ends
        return undefined;
    }
}

function show(item: vscode.StatusBarItem, found: SettingsProfiles | undefined): void {
    if (!found?.profiles.length) {
        item.hide();
        return;
    }
    item.text = `$(settings) ${plain(found.current ?? "no profile")}`;
    const now = found.profiles.find((each) => each.name === found.current);
    item.tooltip = now ? plain(`Settings profile ${now.name}: ${now.sets}. Click for another`) : "Choose a profile of the settings";
    item.accessibilityInformation = { label: `Roofline: settings profile ${plain(found.current ?? "none")}` };
    item.show();
}

interface Item extends vscode.QuickPickItem {
    /** Undefined leaves it to the settings file. */
    profile?: string;
    /** Whether it leads to the form. */
    edits?: boolean;
}

/** The profiles to choose from, and none of them. */
export function profileItems({ current, profiles }: SettingsProfiles): Item[] {
    const mark = (is: boolean) => (is ? "current" : "");
    return [
        ...profiles.map(({ name, sets }) => ({ label: plain(name), description: mark(name === current), detail: plain(sets), profile: name })),
        { label: "No profile chosen here", description: mark(current === null), detail: "The settings file decides" },
        { label: "Edit Argument Sets...", detail: "Add, change, rename or delete one, in the panel", edits: true },
    ];
}

async function select(session: Session, name?: string): Promise<void> {
    if (name !== undefined) {
        await change("settingsProfile", name || undefined);
        return;
    }
    const found = await profilesOf(session);
    if (!found?.profiles.length) {
        await vscode.commands.executeCommand("roofline.editArgumentSet"); // there is none to choose
        return;
    }
    const picked = await vscode.window.showQuickPick(profileItems(found), {
        title: "The settings profile that kernels are judged by",
        placeHolder: "Sets of arguments and sizes; they stand in roofline.toml, under [profiles.NAME]",
        matchOnDetail: true,
    });
    if (picked?.edits) {
        await vscode.commands.executeCommand("roofline.editArgumentSet");
    } else if (picked) {
        await change("settingsProfile", picked.profile);
    }
}
