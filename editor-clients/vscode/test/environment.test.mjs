// The server's own environment, made by real tools from a folder of wheels: node --test test/environment.test.mjs
// after node esbuild.mjs --tests
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";

import { InstallError, installedPython, makeEnvironment, reasonIn, removeOlder } from "../out/modules/server/environment.mjs";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "roofline-environment-"));
after(() => { fs.rmSync(root, { recursive: true, force: true }); });

/** An empty storage, and a record of what was said. */
function begin(name, more = {}) {
    const storage = path.join(root, name);
    const steps = [];
    const lines = [];
    const wish = { storage, pythons: ["python3"], uv: "", step: (text) => steps.push(text), line: (text) => lines.push(text), ...more };
    return { storage, steps, lines, wish };
}

function program(name, text) {
    const file = path.join(root, name);
    fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
}

/** A wheel of roofline-lsp that answers with its version and nothing else. */
function wheels(name, version, answer = `roofline-lsp ${version}`) {
    const folder = path.join(root, name);
    fs.mkdirSync(folder);
    const info = `roofline_lsp-${version}.dist-info`;
    const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("roofline_lsp/__init__.py", "")
    wheel.writestr("roofline_lsp/__main__.py", "print(" + repr(sys.argv[2]) + ")")
    wheel.writestr("${info}/METADATA", "Metadata-Version: 2.1\\nName: roofline-lsp\\nVersion: ${version}\\n")
    wheel.writestr("${info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("${info}/RECORD", "")
`;
    execFileSync("python3", ["-c", script, path.join(folder, `roofline_lsp-${version}-py3-none-any.whl`), answer]);
    return folder;
}

async function failureOf(wish) {
    try {
        await makeEnvironment(wish);
    } catch (error) {
        assert.ok(error instanceof InstallError, String(error));
        return error;
    }
    throw new Error("it was installed");
}

test("from a folder of wheels, by venv and pip, in an environment of its own", async () => {
    const { storage, steps, lines, wish } = begin("plain", { wheels: wheels("new", "9.8.7") });
    const made = await makeEnvironment(wish);
    assert.equal(made.version, "9.8.7");
    assert.ok(made.python.startsWith(storage), made.python);
    assert.equal(await installedPython(storage), made.python);
    assert.deepEqual(steps, ["making an environment by python3", `installing roofline-lsp from ${wish.wheels}`, "trying it"]);
    const prefix = execFileSync(made.python, ["-c", "import sys; print(sys.prefix != sys.base_prefix)"], { encoding: "utf-8" });
    assert.equal(prefix.trim(), "True");
    const outside = execFileSync("python3", ["-I", "-c", "import importlib.util as u; print(u.find_spec('roofline_lsp') is None)"], { encoding: "utf-8" });
    assert.equal(outside.trim(), "True", "no other Python has it");
    assert.ok(lines.some((line) => line.startsWith("> ") && line.includes("--no-index")), "commands are told");
});

test("a newer installation takes the place of the older, which is removed", async () => {
    const { storage, wish } = begin("twice", { wheels: wheels("first", "1.0.0") });
    const first = await makeEnvironment(wish);
    const second = await makeEnvironment({ ...wish, wheels: wheels("second", "2.0.0") });
    assert.equal(await installedPython(storage), second.python);
    assert.ok(fs.existsSync(first.python), "a server of the older one may run still");
    await removeOlder(storage);
    assert.ok(!fs.existsSync(first.python));
    assert.ok(fs.existsSync(second.python));
});

test("settings of a person's pip and Python do not lead it elsewhere", async () => {
    const target = path.join(root, "elsewhere");
    Object.assign(process.env, { PIP_TARGET: target, PYTHONPATH: root, PIP_USER: "1" });
    const { wish } = begin("misled", { wheels: wheels("misleading", "3.0.0") });
    const { version } = await makeEnvironment(wish).finally(() => {
        ["PIP_TARGET", "PYTHONPATH", "PIP_USER"].forEach((name) => delete process.env[name]);
    });
    assert.equal(version, "3.0.0");
    assert.ok(!fs.existsSync(target));
});

test("a uv that cannot make an environment leaves it to Python", async () => {
    const uv = program("uv", 'test "$1" = --version && exit 0; echo "error: no interpreter"; exit 2');
    const { lines, wish } = begin("by-uv", { wheels: wheels("for-uv", "4.0.0"), uv });
    assert.equal((await makeEnvironment(wish)).version, "4.0.0");
    assert.ok(lines.includes("error: no interpreter"));
});

test("a Python without pip, or with an old one, gets a pip into the environment", async () => {
    const python = program("no-pip", 'test "$3" = pip && { echo "pip 22.3 from x (python 3.11)"; exit 0; }; exec python3 "$@"');
    const { lines, wish } = begin("own-pip", { wheels: wheels("for-own-pip", "4.1.0"), pythons: [python] });
    const made = await makeEnvironment(wish);
    assert.equal(made.version, "4.1.0");
    assert.ok(lines.some((line) => line.startsWith(`> ${made.python} -I -m pip install`)), lines.join("\n"));
});

test("no Python, and one that is too old, are told apart", async () => {
    const none = await failureOf(begin("none", { pythons: ["/nowhere/python3"] }).wish);
    assert.equal(none.message, "Roofline needs Python 3.11 or newer, and there is no Python on PATH. Install one, or choose its program.");
    const old = program("old-python", 'echo "python 3.9.2"');
    const aged = await failureOf(begin("aged", { pythons: [old, "/nowhere/python3", old] }).wish);
    assert.equal(aged.message, `Roofline needs Python 3.11 or newer; ${old} is Python 3.9.2. Install a newer one, or choose its program.`);
    const set = await failureOf(begin("set", { python: "/nowhere/mine" }).wish);
    assert.equal(set.message, "Roofline needs Python 3.11 or newer, and /nowhere/mine is no Python.");
    assert.deepEqual([none.remedy, aged.remedy], ["python", "python"]);
});

test("what pip says is in the message, and nothing is left behind", async () => {
    const empty = path.join(root, "empty");
    fs.mkdirSync(empty);
    const { storage, wish } = begin("fails", { wheels: empty });
    const failure = await failureOf(wish);
    assert.match(failure.message, /^pip could not install roofline-lsp: ERROR: No matching distribution found for roofline-lsp>=0\.1\.0/);
    assert.equal(failure.remedy, "output");
    assert.deepEqual(fs.readdirSync(storage), []);
    assert.equal(await installedPython(storage), undefined);
});

test("a failure leaves the environment before it in use", async () => {
    const { storage, wish } = begin("kept", { wheels: wheels("good", "5.0.0") });
    const { python } = await makeEnvironment(wish);
    const bad = await failureOf({ ...wish, wheels: wheels("bad", "6.0.0", "something else") });
    assert.equal(bad.message, "What was installed does not answer as roofline-lsp.");
    assert.equal(await installedPython(storage), python);
});

test("a folder of wheels that is not there", async () => {
    const failure = await failureOf(begin("lost", { wheels: "/nowhere/wheels" }).wish);
    assert.equal(failure.message, "The folder of wheels, /nowhere/wheels, is not there.");
    assert.equal(failure.remedy, "wheels");
});

test("cancelling ends it and leaves nothing", async () => {
    const ending = new AbortController();
    const { storage, wish } = begin("cancelled", { wheels: wheels("unused", "7.0.0"), signal: ending.signal });
    const line = (text) => { if (text.startsWith("> ")) { setTimeout(() => { ending.abort(); }, 50); } };
    const failure = await failureOf({ ...wish, line });
    assert.equal(failure.message, "The installation was cancelled.");
    assert.deepEqual(fs.readdirSync(storage), []);
});

test("the reason of a failure is taken from the last lines", () => {
    assert.equal(reasonIn(["Collecting a", "ERROR: one", "ERROR: two", "[notice] a newer pip"]), "ERROR: two");
    assert.equal(reasonIn(["Using Python 3.11", "  × No solution found:", "  ╰─▶ Because a needs b", "      and b is not there"]), "No solution found: Because a needs b and b is not there");
    assert.match(reasonIn(["Error: Command '...' returned", "The virtual environment was not created: ensurepip is not available."]), /apt install python3-venv/);
    assert.equal(reasonIn([]), undefined);
});
