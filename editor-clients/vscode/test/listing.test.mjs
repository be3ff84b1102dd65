// Kernels in the view: node --test test/listing.test.mjs after node esbuild.mjs --tests
import assert from "node:assert/strict";
import { test } from "node:test";

import { EVERYTHING, grouped, nanoseconds, slim } from "../out/modules/kernels/listing.mjs";

function kernel(name, file, found, time_ns, confidence = 0.9) {
    const prediction = { class: found, time_ns, confidence: found ? confidence : null };
    return { kernel: { base_name: name, name, prediction }, uri: `file:///p/${file}`, gpu: "A GPU" };
}

const ALL = [
    kernel("copy", "b.cu", "BB", 300, 0.7),
    kernel("mystery", "a.cu", null, null),
    kernel("horner", "a.cu", "CB", 100, 0.95),
    kernel("sum", "a.cu", "BB", 900, 0.99),
];

function names(by, order, filter = EVERYTHING) {
    return grouped(ALL, by, order, filter).map(({ key, kernels }) => [key, ...kernels.map((each) => each.kernel.base_name)]);
}

test("by class, the longest first, and what is undecided last", () => {
    assert.deepEqual(names("class", "time"), [["CB", "horner"], ["BB", "sum", "copy"], ["undecided", "mystery"]]);
});

test("by file, in the order of paths", () => {
    assert.deepEqual(names("file", "name"), [["file:///p/a.cu", "horner", "mystery", "sum"], ["file:///p/b.cu", "copy"]]);
});

test("without groups, the least sure first", () => {
    assert.deepEqual(names("none", "confidence"), [["", "copy", "horner", "sum", "mystery"]]);
    assert.deepEqual(grouped([], "none", "time", EVERYTHING), []);
});

test("a filter by class and by time keeps what has no time", () => {
    assert.deepEqual(names("none", "time", { classes: ["BB", "undecided"], leastNs: 500 }), [["", "sum", "mystery"]]);
    assert.deepEqual(names("class", "time", { classes: ["undecided"], leastNs: 0 }), [["undecided", "mystery"]]);
});

test("of a report its reasons are left out, its numbers and measurements kept", () => {
    const kernel = {
        name: "k(int)", base_name: "k", qualified_name: "k", path: "/p/a.cu", name_range: { line: 3 }, range: { line: 3, end_line: 5 },
        launches: [{}], findings: [{}], size_ranges: [], measured: { time_ns: 3 },
        prediction: { class: "CB", confidence: 0.9, time_ns: 5, sp_ai: 4, sp_flops: 8, dram_bytes: 2, evidence: [{}], unknowns: [{}], sight: {} },
    };
    const { launches, findings, size_ranges, ...kept } = kernel;
    const { evidence, unknowns, sight, ...prediction } = kernel.prediction;
    const report = { gpu: { name: "A GPU" }, files: [{ path: "/p/a.cu", problems: [], kernels: [kernel] }] };
    assert.deepEqual(slim(report), { gpu: { name: "A GPU" }, files: [{ path: "/p/a.cu", kernels: [{ ...kept, prediction }] }] });
});

test("times as people write them", () => {
    assert.deepEqual(["10 us", "1.5ms", "20 µs", " ", "3 s", "ten", "10", "-1 ms"].map(nanoseconds), [10_000, 1_500_000, 20_000, 0, 3e9, null, null, null]);
});
