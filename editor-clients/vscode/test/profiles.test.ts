/** Switching between the profiles of a settings file. */

import * as assert from "node:assert/strict";

import * as vscode from "vscode";

import { profileItems } from "../src/features/settingsProfile";
import { settingsProfilesRequest, type SettingsProfiles } from "../src/protocol";
import { test, until } from "./harness";
import { extension, lenses, open } from "./project";

const PROFILES = '[profiles.small]\nargs = "16 2"\n\n[profiles.elsewhere]\ngpu = "A100"\n';

test("profiles of the settings file are listed, chosen and left again", async () => {
    const { document } = await open("horner.cu");
    const { session } = await extension();
    const file = vscode.Uri.joinPath(document.uri, "../roofline.toml");
    const about = { textDocument: { uri: document.uri.toString() } };
    const profiles = async () => session.client?.sendRequest<SettingsProfiles>(settingsProfilesRequest.method, about);
    const first = async () => (await lenses(document.uri))[0] ?? "";
    assert.deepEqual(await profiles(), { current: null, profiles: [] });
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(PROFILES));
    try {
        const found = await until(profiles, (now) => now?.profiles.length === 2, "profiles");
        assert.ok(found);
        assert.deepEqual(
            profileItems(found).map((item) => [item.label, item.description, item.detail]),
            [
                ["small", "", "args = 16 2"],
                ["elsewhere", "", "gpu = A100"],
                ["No profile chosen here", "current", "The settings file decides"],
                ["Edit Argument Sets...", undefined, "Add, change, rename or delete one, in the panel"],
            ],
        );
        await until(first, (text) => text.includes(" on RTX 3080"), "the lens before");
        await vscode.commands.executeCommand("roofline.selectSettingsProfile", "elsewhere");
        await until(first, (text) => text.includes(" on A100"), "the lens with the profile");
        assert.equal((await profiles())?.current, "elsewhere");
        await vscode.commands.executeCommand("roofline.selectSettingsProfile", "");
        await until(first, (text) => text.includes(" on RTX 3080"), "the lens after");
        assert.equal(vscode.workspace.getConfiguration("roofline").inspect("settingsProfile")?.workspaceValue, undefined);
    } finally {
        await vscode.commands.executeCommand("roofline.selectSettingsProfile", "");
        await vscode.workspace.fs.delete(file);
    }
});
