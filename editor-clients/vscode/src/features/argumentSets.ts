/** Argument sets, the profiles of the settings file, as a form changes them. */

import * as vscode from "vscode";

import { editSettingsProfileRequest, type ArgumentSet, type FieldProblem, type SettingsProfiles } from "../protocol";
import { type Session } from "../server/session";
import { SECTION, change } from "../settings";
import { profilesOf } from "./settingsProfile";

const SETTINGS_FILE = /[/\\](roofline|pyproject)\.toml$/;
const PATIENCE_MS = 5_000;

/**
 * Change the settings file: `profile` is the set's present name, null to add one; `becomes` is null to take it away. A set
 * that is new or was chosen is chosen afterwards. Returns what is wrong with a field, and changes nothing then.
 */
export async function saveSet(session: Session, profile: string | null, becomes: ArgumentSet | null): Promise<FieldProblem | undefined> {
    const client = session.client;
    if (!client) {
        return { field: "file", message: "the server does not run" };
    }
    const unsaved = vscode.workspace.textDocuments.filter((each) => each.isDirty && SETTINGS_FILE.test(each.uri.path));
    await Promise.all(unsaved.map((each) => each.save())); // the server reads the file
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    const about = editor?.document.uri.scheme === "file" ? { textDocument: { uri: editor.document.uri.toString() } } : {};
    const answer = await client.sendRequest(editSettingsProfileRequest, { ...about, profile, becomes });
    if (answer.problem) {
        return answer.problem;
    }
    const { uri, exists, text } = answer;
    const chosen = vscode.workspace.getConfiguration(SECTION).get<string | null>("settingsProfile");
    if (profile !== null && profile === chosen && becomes?.name !== profile) {
        await change("settingsProfile", undefined); // which names a set that will not be there
        await comes(session, (known) => known.current !== profile);
    }
    if (!(await write(vscode.Uri.parse(uri), exists, text))) {
        return { field: "file", message: "the settings file could not be written" };
    }
    const name = becomes?.name.trim();
    if (name && (profile === null || profile === chosen) && name !== chosen && (await comes(session, (known) => known.profiles.some((each) => each.name === name)))) {
        await change("settingsProfile", name);
    }
    return undefined;
}

async function write(uri: vscode.Uri, exists: boolean, text: string): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    if (exists) {
        const document = await vscode.workspace.openTextDocument(uri);
        edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    } else {
        edit.createFile(uri, { ignoreIfExists: true });
        edit.insert(uri, new vscode.Position(0, 0), text);
    }
    return (await vscode.workspace.applyEdit(edit)) && (await vscode.workspace.openTextDocument(uri)).save();
}

/** Whether the server comes to know of a change; until it has seen it, the next one would be a mistake to it. */
async function comes(session: Session, wanted: (known: SettingsProfiles) => boolean): Promise<boolean> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
        const known = await profilesOf(session);
        if (known && wanted(known)) {
            return true;
        }
        await new Promise((resume) => { setTimeout(resume, 100); });
    }
    return false;
}
