// The drawing as PDF: node --test test/pdf.test.mjs after node esbuild.mjs --tests
import assert from "node:assert/strict";
import { test } from "node:test";

import { pdf, textWidth } from "../out/modules/webview/pdf.mjs";

const THEME = {
    sp: "rgb(0, 0, 255)", dp: "rgb(255, 0, 0)", hp: "rgb(0, 255, 0)", int: "#00ff00", tensor: "rgb(9, 9, 9)",
    text: "rgb(0, 0, 0)", muted: "rgb(102, 102, 102)", grid: "rgba(0, 0, 0, 0.2)", paper: "rgb(255, 255, 255)", focus: "rgb(1, 1, 1)",
    font: "sans-serif",
};
const at = { x: 100, y: 50 };
const point = { id: "a", name: "a", path: "/p/a.cu", line: 1, column: 0, class: "CB", confidence: 1, precision: "dp", time_ns: 1 };
const SCENE = {
    width: 400,
    height: 200,
    title: "a drawing",
    lines: [
        { from: { x: 1, y: 2 }, to: { x: 3.25, y: 4 }, kind: "grid" },
        { from: { x: 0, y: 9 }, to: { x: 9, y: 0 }, kind: "l2" },
        { from: { x: 5, y: 5 }, to: { x: 50, y: 5 }, kind: "roof sp" },
    ],
    labels: [
        { at: { x: 200, y: 20 }, text: "µs (π)", anchor: "end", kind: "tick" },
        { at: { x: 10, y: 100 }, text: "up", anchor: "middle", kind: "axis", turn: -90 },
    ],
    keys: [{ precision: "int", at: { x: 300, y: 40 } }],
    marks: [{ point, at, measured: { x: 140, y: 50 }, trail: [], label: null, leader: null }],
};

test("lines, text and points stand where the scene has them", () => {
    const page = pdf(SCENE, THEME);
    assert.match(page, /^%PDF-1\.4\n/);
    assert.match(page, /\/MediaBox \[0 0 300 150\]/);
    const lines = page.split("\n");
    assert.ok(lines.includes("0.75 0 0 -0.75 0 150 cm"));
    assert.ok(lines.includes("1 1 1 rg 0 0 400 200 re f"));
    assert.ok(lines.includes("0.8 0.8 0.8 RG 1 w [] 0 d 0 J 1 2 m 3.25 4 l S"));
    assert.ok(lines.includes("0.64 0.64 0.64 RG 1.25 w [5 4] 0 d 0 J 0 9 m 9 0 l S"));
    assert.ok(lines.includes("0 0 1 RG 1.75 w [] 0 d 1 J 5 5 m 50 5 l S"));
    assert.ok(lines.includes("1 0 0 RG 1.25 w [2 3] 0 d 0 J 100 50 m 140 50 l S"));
    assert.ok(lines.includes("1 0 0 rg 133 50 m 126 53.5 l 126 46.5 l h f"));
    assert.ok(lines.includes("0 1 0 rg 295.1 43.6 m 305 43.6 l 300 34.8 l h f"));
    assert.ok(lines.includes("1 1 1 rg 1 0 0 RG 1.75 w [] 0 d 0 J 135.5 45.5 m 144.5 45.5 l 144.5 54.5 l 135.5 54.5 l h B"));
});

test("texts end where they should, and turn, in characters that the font has", () => {
    // Widths of Helvetica: u 556, p 556; µ is none of ASCII and counts as 556, as do what it lacks.
    assert.equal(textWidth("up"), 12.232);
    const lines = pdf(SCENE, THEME).split("\n");
    assert.ok(lines.includes("BT /F 11 Tf 0.4 0.4 0.4 rg 1 0 0 -1 171.884 20 Tm (\u00b5s \\(?\\)) Tj ET"));
    assert.ok(lines.includes("BT /F 11 Tf 0.4 0.4 0.4 rg 0 -1 -1 0 10 106.116 Tm (up) Tj ET"));
});

test("a circle is four curves, and the file tells where its objects begin", () => {
    const round = { ...SCENE, marks: [{ ...SCENE.marks[0], point: { ...point, precision: "sp" }, measured: null }] };
    const page = pdf(round, THEME);
    assert.ok(page.includes("95 50 m 95 47.239 97.239 45 100 45 c"));
    const begin = Number(/startxref\n(\d+)/.exec(page)[1]);
    assert.equal(page.slice(begin, begin + 5), "xref\n");
    const offsets = [...page.slice(begin).matchAll(/^(\d{10}) 00000 n $/gm)].map((found) => Number(found[1]));
    assert.deepEqual(offsets.map((offset) => page.slice(offset, offset + 7)), [1, 2, 3, 4, 5].map((at) => `${at} 0 obj`));
    const stream = /\/Length (\d+) >>\nstream\n/.exec(page);
    const end = stream.index + stream[0].length + Number(stream[1]);
    assert.equal(page.slice(end, end + 10), "\nendstream");
    assert.equal(page, pdf(round, THEME));
});
