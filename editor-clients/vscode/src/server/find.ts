/** Where the server is: what a person set, what comes with the extension, Python's environment, PATH. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";

import * as vscode from "vscode";

import { SECTION } from "../settings";
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
export async function findServer(extension: vscode.Uri): Promise<Search> {
    const tried: string[] = [];
    for (const program of await candidates(extension)) {
        const answer = await version(program);
        if (answer.version !== undefined) {
            return { found: { ...program, version: answer.version }, tried };
        }
        tried.push(`${program.command} (${program.origin}): ${answer.reason}`);
    }
    return { tried };
}

async function candidates(extension: vscode.Uri): Promise<Program[]> {
    const set = vscode.workspace.getConfiguration(SECTION).get<string>("server.path", "").trim();
    if (set) {
        return [{ command: resolved(set), args: [], origin: "the setting roofline.server.path" }];
    }
    const programs: Program[] = [];
    const bundled = vscode.Uri.joinPath(extension, "bundled", WINDOWS ? "python.exe" : "bin/python3").fsPath;
    if (existsSync(bundled)) {
        programs.push({ command: bundled, args: MODULE, origin: "bundled with the extension" });
    }
    const python = await chosenPython();
    if (python) {
        programs.push({ command: python, args: MODULE, origin: "the interpreter of the Python extension" });
    }
    programs.push({ command: "roofline-lsp", args: [], origin: "PATH" });
    return programs;
}

/** `-P`: what lies in the folder that it is started in must not shadow Python's own modules. */
const MODULE = ["-P", "-m", "roofline_lsp"];

/** A path as it is set, with `~` and `${workspaceFolder}`; relative ones begin at the workspace. */
function resolved(set: string): string {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
    const full = set.replace(/^~(?=[/\\]|$)/, home).replaceAll("${workspaceFolder}", folder ?? "");
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
        return { reason: whyNot(error) };
    }
}

function whyNot(error: unknown): string {
    const failure = error as { code?: unknown; stderr?: unknown; killed?: boolean };
    if (failure.code === "ENOENT") {
        return "there is no such program";
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
