// The parts of an explanation: node --test test/outline.test.mjs after node esbuild.mjs --tests
import assert from "node:assert/strict";
import { test } from "node:test";

import { linesAbout, partsOf } from "../out/modules/features/explanationOutline.mjs";

const TEXT = `A GPU at 1710 MHz
command line of the program not known

a.cu:10  k(int)
   CB, 90% sure

  1  Values from the host
     n = 1024  the program's default
         = argc > 1 ? argv[1] : 1024
     19  a number that is no line

  3  Regions: how often each part runs
     line  region        runs
       10  kernel      1.05 M
       14    if           1
           n <= threadIdx.x
       19    loop trip#1  1.07 G
           max(n, 0)
       20      inner      2 G

  4  Accesses, by array
     a  global float
       19:  read  4 B
            1.07 G times
     119  no line of an access

  5  Operations, by line
     line      SP
       19  2.15 G
      119  1

  Not followed in the kernel
     a.cu:3: something
`;
const LINES = TEXT.split("\n");
const at = (begins) => LINES.findIndex((line) => line.trimStart().startsWith(begins));

test("steps and what is inside of them can be folded", () => {
    const parts = partsOf(TEXT);
    assert.deepEqual(parts.filter(({ step }) => step !== null), [
        { start: at("1  Values"), end: at("19  a number"), step: 1 },
        { start: at("3  Regions"), end: at("20      inner"), step: 3 },
        { start: at("4  Accesses"), end: at("119  no line"), step: 4 },
        { start: at("5  Operations"), end: at("119  1"), step: 5 },
    ]);
    const inside = parts.filter(({ step }) => step === null).map(({ start, end }) => [start, end]);
    assert.deepEqual(inside.filter(([start]) => start > at("3  Regions") && start < at("4  Accesses")), [
        [at("10  kernel"), at("20      inner")],
        [at("14    if"), at("n <= thr")],
        [at("19    loop"), at("20      inner")],
    ]);
    assert.ok(inside.some(([start, end]) => start === at("n = 1024") && end === at("= argc")));
    assert.ok(inside.some(([start, end]) => start === at("a  global") && end === at("1.07 G times")));
});

test("lines of the source are found in the steps that go by lines, and nowhere else", () => {
    assert.deepEqual(linesAbout(TEXT, 19), [at("19    loop"), at("19:  read"), at("19  2.15")]);
    assert.deepEqual(linesAbout(TEXT, 10), [at("10  kernel")]);
    assert.deepEqual(linesAbout(TEXT, 7), []);
});
