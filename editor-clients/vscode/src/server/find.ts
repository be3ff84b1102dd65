/** Where the server is: what a person set, what comes with the extension, Python's environment, PATH. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";

import * as vscode from "vscode";

import { SECTION } from "../settings";
import { MODULE, installedPython } from "./environment";
import { chosenPython } from "./python";
import { parseVersion } from "./version";

const ANSWERS_MS = 20_000;
const WINDOWS = process.platform === "win32";

/** A way to start the server. */
export interface Program {
    command: string;
    /** What comes before `--stdio` and `--version`. */
    args: string[];
    /** Where it is from, for people. */
    origin: string;
}

/** A program that answered. */
export interface Found extends Program {
    version: string;
}

export interface Search {
    found?: Found;
    /** What was tried in vain, a sentence each. */
    tried: string[];
}

/** The first program that answers with a version. A path that a person set is the only one tried. */
export async function findServer(extension: vscode.Uri, storage: string): Promise<Search> {
    const tried: string[] = [];
    for (const program of await candidates(extension, storage)) {
        const answer = await version(program);
        if (answer.version !== undefined) {
            return { found: { ...program, version: answer.version }, tried };
        }
        tried.push(`${program.command} (${program.origin}): ${answer.reason}`);
    }
    return { tried };
}

async function candidates(extension: vscode.Uri, storage: string): Promise<Program[]> {
    const set = vscode.workspace.getConfiguration(SECTION).get<string>("server.path", "").trim();
    if (set) {
        return [{ command: resolved(set), args: [], origin: "the setting roofline.server.path" }];
    }
    const programs: Program[] = [];
    const bundled = vscode.Uri.joinPath(extension, "bundled", WINDOWS ? "python.exe" : "bin/python3").fsPath;
    if (existsSync(bundled)) {
        programs.push({ command: bundled, args: MODULE, origin: "bundled with the extension" });
    }
    const own = await installedPython(storage);
    if (own) {
        programs.push({ command: own, args: MODULE, origin: "installed by the extension" });
    }
    const python = await chosenPython();
    if (python) {
        programs.push({ command: python, args: MODULE, origin: "the interpreter of the Python extension" });
    }
    programs.push({ command: "roofline-lsp", args: [], origin: "PATH" });
    return [...programs, ...usualPlaces()];
}

/** Where `uv tool`, pipx and pip put programs: an editor that was not started in a terminal often lacks them on its PATH. */
function usualPlaces(): Program[] {
    const folders = WINDOWS ? [path.join(homedir(), ".local", "bin")] : [path.join(homedir(), ".local", "bin"), "/opt/homebrew/bin", "/usr/local/bin"];
    return folders
        .map((folder) => path.join(folder, WINDOWS ? "roofline-lsp.exe" : "roofline-lsp"))
        .filter((file) => existsSync(file))
        .map((command) => ({ command, args: [], origin: "where programs are installed for a user" }));
}

/** A path as it is set, with `~` and `${workspaceFolder}`; relative ones begin at the workspace. */
function resolved(set: string): string {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const full = set.replace(/^~(?=[/\\]|$)/, homedir()).replaceAll("${workspaceFolder}", folder ?? "");
    const isName = !/[/\\]/.test(full);
    return isName || path.isAbsolute(full) || !folder ? full : path.join(folder, full);
}

async function version(program: Program): Promise<{ version: string } | { version?: never; reason: string }> {
    try {
        const { stdout } = await promisify(execFile)(program.command, [...program.args, "--version"], {
            timeout: ANSWERS_MS,
            windowsHide: true,
        });
        const found = parseVersion(stdout);
        return found === null ? { reason: "is another program" } : { version: found };
    } catch (error) {
        return { reason: whyNot(error, program) };
    }
}

function whyNot(error: unknown, { command }: Program): string {
    const failure = error as { code?: unknown; stderr?: unknown; killed?: boolean };
    if (failure.code === "ENOENT") {
        return path.isAbsolute(command) ? "there is no such program" : `no folder of the editor's PATH has it: ${process.env["PATH"] ?? ""}`;
    }
    if (failure.code === "EACCES") {
        return "it may not be executed";
    }
    if (failure.killed) {
        return "did not answer in time";
    }
    const said = typeof failure.stderr === "string" ? failure.stderr.trim().split("\n").at(-1) : undefined;
    if (said?.includes("No module named")) {
        return "roofline-lsp is not installed there";
    }
    return said ? said : String(error);
}
