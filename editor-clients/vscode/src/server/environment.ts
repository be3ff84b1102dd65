/**
 * A Python environment of the extension's own, made in its storage. Nothing here knows the editor.
 *
 * Each installation goes into a new folder, and `current.json` names the one that is complete. So an attempt that fails
 * leaves the last environment as it was, and no file of a server that runs is replaced. No other environment is changed.
 */

import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";

import { runToEnd, type Ended } from "./processes";
import { OLDEST, isOlder, parseVersion } from "./version";

export const OLDEST_PYTHON = "3.11";
const REQUIREMENT = `roofline-lsp>=${OLDEST}`;
const WINDOWS = process.platform === "win32";
const CURRENT = "current.json";
/** The first pip with the option `--python` that checks that environment, and not its own. */
const PIP_FOR_OTHERS = "23.1";
const ANSWERS_MS = 20_000;
const LONGEST_REASON = 300;
/** Settings of a person's own that would have Python or pip look or write somewhere else. */
const MISLEADING = ["PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_REQUIRE_VIRTUALENV"];

/** `-P`: what lies in the folder that it is started in must not shadow Python's own modules. */
export const MODULE = ["-P", "-m", "roofline_lsp"];

/** What a person can do about a failure. */
export type Remedy = "python" | "wheels" | "output";

/** An installation that did not come about; its message is for people. */
export class InstallError extends Error {
    constructor(
        message: string,
        readonly remedy: Remedy,
    ) {
        super(message);
    }
}

export interface Wish {
    /** The folder that environments are made in. */
    storage: string;
    /** A folder of wheels to install from; no package index is asked then. */
    wheels?: string | undefined;
    /** Interpreters to try, the best first. */
    pythons: readonly string[];
    /** The interpreter that a person has set, which is the only one tried then. */
    python?: string | undefined;
    /** The program uv; an empty text does without it. */
    uv?: string;
    signal?: AbortSignal;
    /** Told of each step, for people. */
    step: (text: string) => void;
    /** Told of each line that a program writes. */
    line: (text: string) => void;
}

export interface Installed {
    /** The environment's interpreter. */
    python: string;
    version: string;
}

/** The interpreter of the environment that was made last; undefined where there is none. */
export async function installedPython(storage: string): Promise<string | undefined> {
    try {
        const { folder } = JSON.parse(await readFile(path.join(storage, CURRENT), "utf-8")) as { folder?: unknown };
        const python = typeof folder === "string" ? interpreterIn(path.join(storage, path.basename(folder))) : "";
        return existsSync(python) ? python : undefined;
    } catch {
        return undefined; // nothing was installed, or not to the end
    }
}

/** Make a new environment with the server in it. Throws InstallError. */
export async function makeEnvironment(wish: Wish): Promise<Installed> {
    await mkdir(wish.storage, { recursive: true });
    const folder = path.join(wish.storage, `server-${Date.now().toString(36)}`);
    try {
        const python = interpreterIn(folder);
        const install = await created(wish, folder);
        wish.step(`installing roofline-lsp ${wish.wheels ? `from ${wish.wheels}` : `by ${install.name}`}`);
        demand(wish, await run(wish, install.command, install.args), `${install.name} could not install roofline-lsp`);
        wish.step("trying it");
        const version = await versionOf(wish, python);
        await remember(wish.storage, folder, version);
        return { python, version };
    } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
    }
}

interface Install {
    name: "uv" | "pip";
    command: string;
    args: string[];
}

/** An empty environment; by uv, which finds interpreters by itself, or else by an interpreter's venv. */
async function created(wish: Wish, folder: string): Promise<Install> {
    checkWheels(wish.wheels);
    const python = interpreterIn(folder);
    const source = wish.wheels ? ["--no-index", "--find-links", wish.wheels] : [];
    const uv = wish.uv ?? "uv";
    if (uv && (await answers(wish, uv))) {
        wish.step("making an environment by uv");
        const made = await run(wish, uv, ["venv", "--no-project", "--python", wish.python || `>=${OLDEST_PYTHON}`, folder]);
        if (made.status === 0) {
            return { name: "uv", command: uv, args: ["pip", "install", "--python", python, ...source, REQUIREMENT] };
        }
        wish.line("uv could not make an environment; trying the interpreters on PATH");
        await rm(folder, { recursive: true, force: true });
    }
    const base = await usablePython(wish);
    // pip works on other environments, too, which is quicker than to put another pip into the new one.
    const shared = await hasPip(wish, base);
    wish.step(`making an environment by ${base}`);
    const venv = ["-I", "-m", "venv", ...(shared ? ["--without-pip"] : []), folder];
    demand(wish, await run(wish, base, venv), `${base} could not make an environment`);
    const pip = shared ? ["-I", "-m", "pip", "--python", python] : ["-I", "-m", "pip"];
    const quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--no-compile"];
    return { name: "pip", command: shared ? base : python, args: [...pip, "install", ...quiet, ...source, REQUIREMENT] };
}

/** Whether an interpreter has a pip that can be told of another environment. */
async function hasPip(wish: Wish, python: string): Promise<boolean> {
    const asked = { cwd: wish.storage, timeoutMs: ANSWERS_MS };
    const { status, tail } = await runToEnd(python, ["-I", "-m", "pip", "--version"], asked);
    const version = /^pip (\S+) /.exec(tail.at(-1) ?? "")?.[1];
    return status === 0 && version !== undefined && !isOlder(version, PIP_FOR_OTHERS);
}

function checkWheels(wheels: string | undefined): void {
    if (wheels && !existsSync(wheels)) {
        throw new InstallError(`The folder of wheels, ${wheels}, is not there.`, "wheels");
    }
}

async function answers(wish: Wish, program: string): Promise<boolean> {
    return (await runToEnd(program, ["--version"], { cwd: wish.storage, timeoutMs: ANSWERS_MS })).status === 0;
}

/** The first interpreter that is new enough. */
async function usablePython(wish: Wish): Promise<string> {
    const old: string[] = [];
    for (const python of wish.python ? [wish.python] : wish.pythons) {
        const found = await pythonVersion(wish, python);
        if (found !== undefined && !isOlder(found, OLDEST_PYTHON)) {
            return python;
        }
        if (found !== undefined) {
            old.push(`${python} is Python ${found}`);
        }
    }
    const needs = `Roofline needs Python ${OLDEST_PYTHON} or newer`;
    if (old.length) {
        throw new InstallError(`${needs}; ${[...new Set(old)].join(", ")}. Install a newer one, or choose its program.`, "python");
    }
    if (wish.python) {
        throw new InstallError(`${needs}, and ${wish.python} is no Python.`, "python");
    }
    throw new InstallError(`${needs}, and there is no Python on PATH. Install one, or choose its program.`, "python");
}

/** `3.11.7`; undefined where the program is no Python. */
export async function pythonVersion(wish: Pick<Wish, "storage">, python: string): Promise<string | undefined> {
    const ask = "import sys; print('python', '.'.join(map(str, sys.version_info[:3])))";
    const { status, tail } = await runToEnd(python, ["-I", "-c", ask], { cwd: wish.storage, timeoutMs: ANSWERS_MS });
    return status === 0 ? /^python (\d+\.\d+\.\d+)$/.exec(tail.at(-1) ?? "")?.[1] : undefined;
}

function run(wish: Wish, command: string, args: readonly string[]): Promise<Ended> {
    const named = Object.entries(process.env).filter(([name]) => !MISLEADING.includes(name.toUpperCase()));
    const env = { ...Object.fromEntries(named), PIP_USER: "0" };
    wish.line(`> ${[command, ...args].join(" ")}`);
    return runToEnd(command, args, { cwd: wish.storage, env, line: wish.line, ...(wish.signal ? { signal: wish.signal } : {}) });
}

function demand(wish: Wish, ended: Ended, failure: string): void {
    if (wish.signal?.aborted) {
        throw new InstallError("The installation was cancelled.", "output");
    }
    if (ended.status !== 0) {
        const reason = reasonIn(ended.tail) ?? ended.error ?? `exit status ${String(ended.status)}`;
        throw new InstallError(`${failure}: ${reason}`, "output");
    }
}

/** The lines that say what is wrong; hints and notes come after them. */
export function reasonIn(tail: readonly string[]): string | undefined {
    const venv = tail.find((line) => /ensurepip is not|python3[\d.]*-venv/.test(line));
    if (venv) {
        return "its module venv is not complete (on Debian and Ubuntu: apt install python3-venv)";
    }
    const cross = tail.findIndex((line) => line.trimStart().startsWith("×"));
    const told = cross < 0 ? tail.filter((line) => /^\s*(error|fatal)\b|\bError: /i.test(line)).slice(-1) : tail.slice(cross);
    const reason = (told.length ? told : tail.slice(-1)).map((line) => line.replace(/^[\s×│╰─▶]+/, "").trim()).join(" ");
    return reason.slice(0, LONGEST_REASON) || undefined;
}

async function versionOf(wish: Wish, python: string): Promise<string> {
    const lines: string[] = [];
    const ended = await runToEnd(python, [...MODULE, "--version"], { cwd: wish.storage, line: (text) => lines.push(text) });
    demand(wish, ended, "The server was installed but does not start");
    const version = parseVersion(lines.join("\n"));
    if (version === null) {
        throw new InstallError("What was installed does not answer as roofline-lsp.", "output");
    }
    return version;
}

/** Name the complete environment. */
async function remember(storage: string, folder: string, version: string): Promise<void> {
    const name = path.basename(folder);
    const fresh = path.join(storage, `${CURRENT}.new`);
    await writeFile(fresh, JSON.stringify({ folder: name, version }));
    await rename(fresh, path.join(storage, CURRENT));
}

/** Remove environments before the present one, as far as nothing holds them: once no server of theirs runs. */
export async function removeOlder(storage: string): Promise<void> {
    const python = await installedPython(storage);
    const present = python && path.relative(storage, python).split(path.sep)[0];
    const older = (await readdir(storage)).filter((each) => each.startsWith("server-") && each !== present);
    await Promise.all(older.map((each) => rm(path.join(storage, each), { recursive: true, force: true }).catch(() => undefined)));
}

function interpreterIn(folder: string): string {
    return WINDOWS ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python3");
}
