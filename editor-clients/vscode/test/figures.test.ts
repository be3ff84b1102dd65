/** What needs no editor and no server. */

import * as assert from "node:assert/strict";

import * as vscode from "vscode";

import { page } from "../src/features/compare";
import { itemsOf, withRecent } from "../src/features/gpu";
import { stepsOf } from "../src/features/lineHeat";
import { html } from "../src/features/panel";
import { bytesOf } from "../src/features/panelExport";
import { words } from "../src/features/serverCommands";
import { joined } from "../src/kernels/listing";
import { digits, duration, percent, ratioText, shortName } from "../src/figures";
import { type GpuChoice, type Report, type ReportKernel } from "../src/protocol";
import { isOlder, parseVersion } from "../src/server/version";
import { code, plain, prose } from "../src/text";
import { test } from "./harness";

const GPU: GpuChoice = {
    name: "GeForce RTX 3080 10GB",
    aliases: ["RTX 3080"],
    vendor: "NVIDIA",
    architecture: "Ampere",
    memory_bandwidth_gbs: 760.3,
    ridge: { fp32: 39.152, fp64: 0.61176, fp16: null },
};
const A100 = { ...GPU, name: "A100 SXM4 40GB" };
const MI = { ...GPU, name: "Instinct MI250X", vendor: "AMD" };

function kernel(path: string, name: string, time_ns: number | null): ReportKernel {
    const prediction = { class: "BB", confidence: 0.97, time_ns, time_limit: { resource: "dram", time_ns: 1000 } } as const;
    return { name: `${name}(int)`, base_name: name, qualified_name: name, path, name_range: { line: 3, column: 16 }, range: { line: 3, end_line: 8 }, prediction };
}

function report(gpu: string, ...files: [string, ReportKernel[]][]): Report {
    const numbers = { sp: 1, dp: 1, hp: 1, int: 1, tensor: 1 };
    return {
        gpu: { name: gpu, clock: "boost", clock_mhz: 1710, bandwidth_gbs: 760, peaks: numbers, ridge: numbers },
        files: files.map(([path, kernels]) => ({ path, kernels })),
    };
}

test("figures are short and claim no certainty", async () => {
    assert.equal(digits(39.152), "39.2");
    assert.equal(digits(0.61176), "0.612");
    assert.equal(digits(1555), "1555");
    assert.equal(duration(53_400), "53.4 µs");
    assert.equal(duration(999.9), "1 µs");
    assert.equal(duration(12), "12 ns");
    assert.equal(duration(119.4e9), "119 s");
    assert.equal(duration(11_691e9), "3.25 h");
    assert.equal(duration(4.69e22), "1.49 M years");
    assert.equal(ratioText(365_203), "370,000");
    assert.equal(ratioText(1), "1");
    assert.equal(percent(0.999), "99%");
    assert.equal(shortName("NVIDIA GeForce RTX 3080 10GB"), "RTX 3080 10GB");
    assert.equal(shortName("Instinct MI250X"), "MI250X");
    await Promise.resolve();
});

test("versions are read and compared by number", async () => {
    assert.equal(parseVersion("roofline-lsp 1.10.2.dev3\n"), "1.10.2.dev3");
    assert.equal(parseVersion("clangd version 18"), null);
    assert.equal(isOlder("0.9.9", "0.10.0"), true);
    assert.equal(isOlder("0.10", "0.10.0"), false);
    assert.equal(isOlder("1.0.0.dev1", "0.10.0"), false);
    assert.equal(isOlder("0+unknown", "9.0.0"), false);
    await Promise.resolve();
});

test("the list of GPUs has the present one first, then each maker's", async () => {
    const items = itemsOf({ current: A100.name, clock: "boost", gpus: [GPU, A100, MI] });
    const machine = ["this machine", "GPU of this machine"];
    assert.deepEqual(items.map((item) => item.label), ["current", A100.name, ...machine, "NVIDIA", GPU.name, "AMD", MI.name]);
    assert.equal(items.at(5)?.description, "ridge SP 39.2 · DP 0.612");
    assert.equal(items.at(5)?.detail, "Ampere · 760 GB/s");
    const lately = itemsOf({ current: A100.name, clock: "boost", gpus: [GPU, A100, MI] }, [MI.name, A100.name, "gone"]);
    assert.deepEqual(lately.map((item) => item.label), ["current", A100.name, ...machine, "recent", MI.name, "NVIDIA", GPU.name]);
    assert.equal(items.at(3)?.description, "looked for whenever kernels are judged");
    assert.deepEqual(withRecent(["a", "b", "c", "d", "e"], "c"), ["c", "a", "b", "d", "e"]);
    assert.deepEqual(withRecent(["a", "b", "c", "d", "e"], "f"), ["f", "a", "b", "c", "d"]);
    await Promise.resolve();
});

test("the list of GPUs marks those of this machine", async () => {
    const choices = { current: A100.name, clock: "boost", gpus: [GPU, A100, MI] };
    const two = itemsOf({ ...choices, machine: [A100.name, GPU.name] }, [GPU.name]);
    const machine = ["this machine", "GPU of this machine", GPU.name];
    assert.deepEqual(two.map((item) => item.label), ["current", A100.name, ...machine, "AMD", MI.name]);
    assert.match(two.at(1)?.description ?? "", /^in this machine · ridge /);
    assert.equal(two.at(3)?.description, `${A100.name}, the first of 2`);
    assert.equal(two.at(4)?.description, "in this machine · ridge SP 39.2 · DP 0.612");
    const one = itemsOf({ ...choices, machine: [GPU.name] });
    assert.equal(one.at(3)?.description, GPU.name);
    const none = itemsOf({ ...choices, machine: [] });
    assert.equal(none.at(3)?.description, "none that is known was found: the default is taken");
    const labels = (machine: string[]) => itemsOf({ ...choices, machine }, [], { auto: false }).map((item) => item.label);
    assert.deepEqual(labels([GPU.name]), ["current", A100.name, "this machine", GPU.name, "AMD", MI.name]);
    assert.deepEqual(labels([]), ["current", A100.name, "NVIDIA", GPU.name, "AMD", MI.name]);
    await Promise.resolve();
});

test("line heat has four steps and leaves out what is small", async () => {
    const heat = [0.04, 0.05, 0.2, 0.3, 0.9].map((share, line) => ({ line, share, resource: "DRAM", kernel: "k" }));
    assert.deepEqual(stepsOf(heat), [[1], [2], [3], [4]]);
    await Promise.resolve();
});

test("GPUs are compared beside the fastest; an unknown time stays unknown", async () => {
    const file = "/p/a.cu";
    const text = page(
        [
            report("A", [file, [kernel(file, "k", 200)]]),
            report("B", [file, [kernel(file, "k", 100)]]),
            report("C", [file, [kernel(file, "k", null)]]),
        ],
        vscode.Uri.file(file),
    );
    assert.match(text, /^# Kernels of a\.cu\n\n## `k`\n/);
    assert.match(text, /\| A \| BB \| 97% \| DRAM \| 200\u00a0ns \| 2× \|/);
    assert.match(text, /\| B \| .* \| 100\u00a0ns \| 1× \|/);
    assert.match(text, /\| C \| .* \| unknown \| {2}\|/);
    assert.match(page([], vscode.Uri.file(file)), /There is no kernel in this file\.$/);
    await Promise.resolve();
});

test("the report of a workspace has each kernel once, where it is defined", async () => {
    const shared = kernel("/p/k.cuh", "shared", 1);
    const one = report("A", ["/p/a.cu", [kernel("/p/a.cu", "own", 1), shared]]);
    const all = joined([one, report("A", ["/p/k.cuh", [shared]]), report("B", ["/q/b.cu", [kernel("/q/b.cu", "b", 1)]])]);
    assert.deepEqual(all?.files.map((file) => file.kernels.map((each) => each.base_name)), [["own"], ["shared"]]);
    assert.equal(joined([]), null);
    await Promise.resolve();
});

test("the panel's page runs nothing but its own script", async () => {
    const webview = { cspSource: "csp:", asWebviewUri: (uri: vscode.Uri) => uri };
    const [first, second] = [0, 1].map(() => html(webview, vscode.Uri.file("/extension")));
    const policy = /content="([^"]+)"/.exec(first ?? "")?.[1] ?? "";
    assert.match(policy, /^default-src 'none'; img-src data:; style-src csp: 'nonce-(.+)'; script-src 'nonce-\1'$/);
    assert.doesNotMatch(first ?? "", /style="|onclick|unsafe/);
    assert.notEqual(first, second, "a nonce is used once");
    await Promise.resolve();
});

test("a command line is taken apart as a shell does", async () => {
    assert.deepEqual(words("./run 4096 'two words' \"a \\\"b\\\"\""), ["./run", "4096", "two words", 'a "b"']);
    assert.deepEqual(words("  "), []);
    await Promise.resolve();
});

test("drawings are written as they are", async () => {
    assert.equal(Buffer.from(bytesOf("svg", "<svg>µ</svg>")).toString(), "<svg>µ</svg>");
    assert.deepEqual([...bytesOf("pdf", "%PDF\u00b5")], [0x25, 0x50, 0x44, 0x46, 0xb5]);
    assert.deepEqual([...bytesOf("png", "data:image/png;base64,iVBO")], [0x89, 0x50, 0x4e]);
    await Promise.resolve();
});

test("names of strangers form no link, icon or markup", async () => {
    const hostile = "[run](command:evil) $(flame) \u001b[2J\u202e";
    const message = plain(hostile);
    assert.equal(message, "[run] (command:evil) $ (flame) <U+001B>[2J<U+202E>");
    assert.equal(plain(message), message);
    assert.equal(prose("[x](http://e) <b> `c`\n# d"), "\\[x\\]\\(http\\://e\\) \\<b\\> \\`c\\` \\# d");
    assert.equal(code("k"), "`k`");
    assert.equal(code("a``[x](y)\n"), "``` a``[x](y)  ```");
    await Promise.resolve();
});

test("a GPU of a project's own settings is shown as words", async () => {
    const items = itemsOf({ current: "", clock: "boost", gpus: [{ ...GPU, name: "[x](command:y) $(z)" }] });
    assert.deepEqual(items.map((item) => item.label), ["this machine", "GPU of this machine", "NVIDIA", "[x] (command:y) $ (z)"]);
    assert.equal(items.at(3)?.gpu?.name, "[x](command:y) $(z)");
    await Promise.resolve();
});
