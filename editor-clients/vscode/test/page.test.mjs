// What the panel's page keeps and leaves out: node --test test/page.test.mjs after node esbuild.mjs --tests
import assert from "node:assert/strict";
import { test } from "node:test";

import { ALL, passing } from "../out/modules/webview/filter.mjs";
import { Trails } from "../out/modules/webview/trails.mjs";

function point(name, time_ns, intensity, more = {}) {
    const place = { intensity, performance: 100 };
    return { id: `/p/a.cu:3:${name}`, name, path: "/p/a.cu", line: 3, class: "BB", confidence: 0.9, precision: "sp", time_ns, predicted: place, measured: null, ...more };
}

test("a point that moves leaves a trail, and the change is told", () => {
    const trails = new Trails();
    trails.take([point("horner", 1_090_000, 1)], "a.cu on a GPU");
    assert.deepEqual(trails.changes, []);
    const now = point("horner", 57_000, 4, { class: "CB", id: "/p/a.cu:5:horner", line: 5 });
    trails.take([now], "a.cu on a GPU");
    assert.deepEqual(trails.changes, ["horner: 1.09 ms -> 57 µs, now compute-bound"]);
    assert.deepEqual([...trails.of([now])], [["/p/a.cu:5:horner", [{ intensity: 1, performance: 100 }]]]);
    trails.clear();
    assert.deepEqual([trails.of([now]).size, trails.changes.length], [0, 0]);
});

test("what stays as it was leaves none, nor does another GPU or file", () => {
    const trails = new Trails();
    trails.take([point("k", 1000, 1)], "one");
    trails.take([point("k", 1001, 1.001)], "one");
    assert.deepEqual(trails.changes, []);
    trails.take([point("k", 9000, 9)], "two");
    assert.deepEqual(trails.changes, []);
    assert.equal(trails.of([point("k", 9000, 9)]).size, 0);
});

test("a trail is not endless", () => {
    const trails = new Trails();
    for (let step = 1; step <= 20; step++) {
        trails.take([point("k", 1000 * step, step)], "one");
    }
    assert.deepEqual(trails.of([point("k", 0, 0)]).get("/p/a.cu:3:k").map((place) => place.intensity), [12, 13, 14, 15, 16, 17, 18, 19]);
    assert.equal(trails.changes.length, 5);
    assert.equal(trails.changes[0], "k: 19 µs -> 20 µs");
});

test("the filter wants every word, in the name or the file, and classes that are not off", () => {
    const points = [point("gemm_naive", 1, 1), point("gemm_tiled", 1, 1, { class: "CB" }), point("copy", 1, 1, { class: null, path: "/gemm/b.cu" })];
    const names = (filter) => passing(points, { ...ALL, ...filter }).map((each) => each.name);
    assert.deepEqual(names({}), ["gemm_naive", "gemm_tiled", "copy"]);
    assert.deepEqual(names({ words: " GEMM t " }), ["gemm_tiled"]);
    assert.deepEqual(names({ words: "b.cu" }), ["copy"]);
    assert.deepEqual(names({ without: ["BB", "none"] }), ["gemm_tiled"]);
});
