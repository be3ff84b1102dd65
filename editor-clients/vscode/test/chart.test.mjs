// The roofline drawing: node --test test/chart.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";

import {
    layout,
    pointsOf,
    render,
    digits,
    scaled,
    shape,
    stylesheet,
} from "../../../server/roofline_lsp/formats/chart/roofline.js";

const GPU = {
    name: "A GPU",
    clock: "boost",
    bandwidth_gbs: 1000,
    l2_bandwidth_gbs: 4000,
    l1_bandwidth_gbs: 16000,
    peaks: { sp: 20000, dp: 500, hp: 20000, int: 10000, tensor: null },
    ridge: { sp: 20, dp: 0.5, hp: 20, int: 10, tensor: null },
};
const ALL = ["sp", "dp", "hp", "int", "tensor"];
const SIZE = { width: 800, height: 400 };

function kernel(name, prediction, more = {}) {
    return {
        name: `${name}(int)`,
        base_name: name,
        path: "/p/a.cu",
        name_range: { line: 3, column: 16 },
        prediction: { class: "BB", confidence: 0.9, time_ns: 1000, ...prediction },
        ...more,
    };
}

function report(...kernels) {
    return { gpu: GPU, files: [{ path: "/p/a.cu", kernels }] };
}

const STREAM = kernel("stream", { sp_ai: 0.25, sp_flops: 250_000, int_ai: 2, int_ops: 2_000_000 });

test("a kernel is drawn by the precision that it is farthest above the ridge in", () => {
    const [point] = pointsOf(report(STREAM));
    assert.equal(point.precision, "int");
    assert.deepEqual(point.predicted, { intensity: 2, performance: 2000 });
    assert.equal(point.measured, null);
});

test("without a time a kernel stands on its roof, without an intensity nowhere", () => {
    const untimed = kernel("untimed", { sp_ai: 100, sp_flops: 1, time_ns: null });
    const unknown = kernel("unknown", { sp_ai: null, sp_flops: 0 });
    const points = pointsOf(report(untimed, unknown));
    assert.deepEqual(points.map((point) => [point.name, point.predicted.performance]), [["untimed", 20000]]);
});

test("a measurement stands beside the prediction that it took the place of", () => {
    const numbers = { sp_flops: 1000, int_ops: 0, dram_bytes: 100, time_ns: 10 };
    const predicted = { sp_flops: 1000, int_ops: 0, dram_bytes: 200, time_ns: 5 };
    const [point] = pointsOf(report(kernel("k", { sp_ai: 10, ...numbers }, { measured: { ...numbers, predicted } })));
    assert.deepEqual(point.predicted, { intensity: 5, performance: 200 });
    assert.deepEqual(point.measured, { intensity: 10, performance: 100 });
    const scene = layout({ gpu: GPU, points: [point], ...SIZE, precisions: ALL });
    const text = render(scene);
    assert.match(text, /class="joined"/);
    assert.match(text, /class="measured"/);
    assert.match(text, /class="key"[^>]*>filled: predicted; arrow to what was measured: hollow</);
});

test("an arrow points from the prediction to the measurement, where there is room for its head", () => {
    const drawn = (predicted, measured) => {
        const point = { ...pointsOf(report(STREAM))[0], predicted, measured };
        return render(layout({ gpu: GPU, points: [point], ...SIZE, precisions: ALL }));
    };
    const head = (text) => text.match(/class="head" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)Z"/)?.slice(1).map(Number);
    const down = drawn({ intensity: 1, performance: 1000 }, { intensity: 1, performance: 10 });
    const [tipX, tipY, leftX, leftY, rightX, rightY] = head(down);
    const to = Number(down.match(/class="joined"[^>]* y2="([\d.]+)"/)[1]);
    assert.ok(Math.abs(to - tipY - 7) < 0.11 && tipY > leftY && leftY === rightY, "it points downwards, and ends at the mark");
    assert.ok(Math.abs((leftX + rightX) / 2 - tipX) < 0.11 && Math.abs(Math.abs(leftX - rightX) - 7) < 0.11);
    const up = head(drawn({ intensity: 1, performance: 10 }, { intensity: 1, performance: 1000 }));
    assert.ok(up[1] < up[3], "it points upwards");
    assert.equal(head(drawn({ intensity: 1, performance: 1000 }, { intensity: 1, performance: 990 })), undefined);
});

test("without a measurement there is no key", () => {
    assert.doesNotMatch(render(layout({ gpu: GPU, points: pointsOf(report(STREAM)), ...SIZE, precisions: ALL })), /class="(key|head)"/);
});

test("roofs begin where the slope of the memory meets them", () => {
    const { lines, labels } = layout({ gpu: GPU, points: [], ...SIZE, precisions: ALL });
    const dram = lines.find((line) => line.kind === "dram");
    const sp = lines.find((line) => line.kind === "roof sp");
    assert.ok(Math.hypot(sp.from.x - dram.to.x, sp.from.y - dram.to.y) < 0.01, "the highest roof meets the slope's end");
    const dp = lines.find((line) => line.kind === "roof dp");
    const slope = (dram.to.y - dram.from.y) / (dram.to.x - dram.from.x);
    assert.ok(Math.abs(dram.from.y + slope * (dp.from.x - dram.from.x) - dp.from.y) < 0.01, "a lower one begins on it");
    const texts = labels.map((label) => label.text);
    assert.ok(texts.includes("SP, HP  20 Tflop/s"), "precisions of one peak share a roof");
    assert.ok(texts.includes("INT  10 Top/s"));
    assert.ok(texts.includes("L2  4 TB/s"));
    assert.ok(texts.includes("L1, shared  16 TB/s"));
    assert.ok(!texts.some((text) => text.startsWith("Tensor")), "no peak, no roof");
});

test("all kernels are inside the axes, whatever their intensity", () => {
    const far = [1e-4, 1e6].map((sp_ai) => kernel(`k${sp_ai}`, { sp_ai, sp_flops: 1, time_ns: null }));
    const { marks } = layout({ gpu: GPU, points: pointsOf(report(...far)), ...SIZE, precisions: ALL });
    for (const { at } of marks) {
        assert.ok(at.x > 64 && at.x < 776 && at.y > 20 && at.y < 352, JSON.stringify(at));
    }
});

test("a precision that is off takes its kernels along", () => {
    const points = pointsOf(report(STREAM, kernel("math", { sp_ai: 100, sp_flops: 1 })));
    const { marks } = layout({ gpu: GPU, points, ...SIZE, precisions: ["sp"] });
    assert.deepEqual(marks.map((mark) => mark.point.name), ["math"]);
});

function crowd(count) {
    const kernels = Array.from({ length: count }, (_, at) => kernel(`kernel_number_${at}`, { sp_ai: 1 + at / 1000, sp_flops: 1, time_ns: null }));
    return layout({ gpu: GPU, points: pointsOf(report(...kernels)), ...SIZE, precisions: ALL }).marks;
}

test("every point of a crowd has its name, at the end of a line where there is no room beside it", () => {
    const marks = crowd(30);
    assert.ok(marks.every((mark) => mark.label !== null));
    const led = marks.filter((mark) => mark.leader !== null);
    assert.ok(led.length > 0 && led.length < 30);
    for (const { at, leader } of led) {
        assert.ok(Math.abs(Math.hypot(leader.from.x - at.x, leader.from.y - at.y) - 7) < 0.01, "it begins at the point's edge");
    }
    const boxes = marks.map(({ label }) => {
        const length = label.text.length * 6.6;
        const left = label.anchor === "start" ? label.at.x : label.anchor === "end" ? label.at.x - length : label.at.x - length / 2;
        return { left, right: left + length, top: label.at.y - 10, bottom: label.at.y + 3 };
    });
    const covers = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    assert.ok(boxes.every((a, at) => boxes.slice(at + 1).every((b) => !covers(a, b))), "no name covers another");
    assert.ok(boxes.every((box) => box.left > 64 && box.right < 800 && box.bottom < 352), "all are inside the axes");
});

test("in a larger crowd no name stands far from its point", () => {
    const marks = crowd(60);
    const far = marks.filter(({ at, leader }) => leader && Math.hypot(leader.to.x - at.x, leader.to.y - at.y) > 80);
    assert.deepEqual(far, []);
    assert.ok(marks.some((mark) => mark.leader) && marks.some((mark) => mark.label === null));
});

test("each roof ends with the shapes of its precisions", () => {
    const scene = layout({ gpu: GPU, points: pointsOf(report(STREAM)), ...SIZE, precisions: ALL });
    assert.deepEqual(scene.keys.map(({ precision }) => precision).sort(), ["dp", "hp", "int", "sp"]);
    const roofs = scene.labels.filter(({ kind }) => kind.startsWith("roof "));
    for (const { precision, at } of scene.keys) {
        const roof = roofs.find(({ text }) => text.includes(precision.toUpperCase()));
        assert.ok(at.x > roof.at.x && Math.abs(at.y - roof.at.y) < 6);
    }
    const text = render(scene);
    for (const { precision, at } of scene.keys) {
        assert.ok(text.includes(`<g class="key ${precision}"><path class="dot" d="${shape(precision, at, 4.5)}"/></g>`));
    }
});

test("where there is no room at all a name is left out", () => {
    const named = crowd(400).filter((mark) => mark.label !== null);
    assert.ok(named.length > 0 && named.length < 400);
});

test("a target region has the name of its function", () => {
    const [point] = pointsOf(report(kernel("__omp_offloading_dot_product_l11", { sp_ai: 1, sp_flops: 1 })));
    assert.equal(point.name, "target region of dot_product");
});

test("the labels of slopes keep clear of the axes' own", () => {
    const { labels } = layout({ gpu: GPU, points: pointsOf(report(STREAM)), width: 1100, height: 480, precisions: ALL });
    const slopes = labels.filter((label) => label.kind.startsWith("slope"));
    assert.equal(slopes.length, 3);
    assert.ok(slopes.every(({ at, text, turn }) => at.x - (text.length * 3.3 * Math.cos((turn * Math.PI) / 180)) > 60), JSON.stringify(slopes));
});

test("each precision has a shape of its own", () => {
    const shapes = ALL.map((precision) => shape(precision, { x: 10, y: 10 }, 5));
    assert.equal(new Set(shapes).size, ALL.length);
    assert.match(shapes[1], /^M5\.5 5\.5L14\.5 5\.5L14\.5 14\.5L5\.5 14\.5Z$/);
});

test("a point that has moved draws where it stood before", () => {
    const points = pointsOf(report(STREAM));
    const trails = new Map([[points[0].id, [{ intensity: 1e-3, performance: 500 }, { intensity: 1, performance: 1000 }]]]);
    const scene = layout({ gpu: GPU, points, ...SIZE, precisions: ALL, trails });
    const [{ trail, at }] = scene.marks;
    assert.equal(trail.length, 2);
    assert.ok(trail[0].x > 64 && trail[0].x < trail[1].x && trail[1].x < at.x, "the axes hold all of it");
    const text = render(scene);
    assert.equal(text.match(/class="step"/g).length, 2);
    assert.match(text, /<polyline class="trail" points="[\d.]+,[\d.]+ [\d.]+,[\d.]+ [\d.]+,[\d.]+"\/>/);
    assert.doesNotMatch(render(layout({ gpu: GPU, points, ...SIZE, precisions: ALL })), /trail|step/);
});

test("what a kernel is called cannot become markup", () => {
    const points = pointsOf(report(kernel('<script>"&', { sp_ai: 1, sp_flops: 1 })));
    const text = render(layout({ gpu: GPU, points, ...SIZE, precisions: ALL }), { interactive: true });
    assert.ok(!text.includes("<script"));
    assert.match(text, /&#60;script&#62;&#34;&#38;/);
    assert.match(text, /<g class="point sp" tabindex="-1" role="button"/);
    assert.match(text, /<title>/);
    assert.doesNotMatch(render(layout({ gpu: GPU, points, ...SIZE, precisions: ALL }), { titles: false }), /<title>/);
});

test("a drawing for a file has its colours in it and nothing to press", () => {
    const theme = Object.fromEntries([...ALL, "text", "muted", "grid", "paper", "focus", "font"].map((key) => [key, `#${key}`]));
    const scene = layout({ gpu: GPU, points: pointsOf(report(STREAM)), ...SIZE, precisions: ALL });
    const text = render(scene, { style: stylesheet(theme) });
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<style>[^<]*#int[^<]*<\/style>/s);
    assert.ok(!/role="button"|tabindex/.test(text));
    assert.ok(!/style="/.test(text), "attributes would be at odds with a strict policy");
});

test("figures have three digits and a prefix", () => {
    assert.equal(scaled(29767.68, "flop/s"), "29.8 Tflop/s");
    assert.equal(scaled(465.12, "flop/s"), "465 Gflop/s");
    assert.equal(scaled(0.5, "B/s"), "500 MB/s");
    assert.equal(scaled(6e-6, "flop/s"), "6 kflop/s");
    assert.equal(scaled(7.6e-7, "flop/s"), "760 flop/s");
    assert.equal(scaled(1.09e16, "flop/s"), "10.9 Yflop/s");
    assert.equal(digits(0.61176), "0.612");
    assert.equal(digits(396_451), "396 k");
    assert.equal(digits(999.6), "1 k");
});
