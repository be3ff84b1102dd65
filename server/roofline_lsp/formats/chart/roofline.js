/**
 * The roofline drawing: a log-log chart of a GPU's roofs with a point for each kernel, as SVG text.
 *
 * Plain JavaScript without imports, so that a page can have it in line as it stands and a bundler
 * can take it in. It knows no document and no editor: `pointsOf` reads the JSON report, `layout`
 * turns values into a scene of pixels, `render` writes the scene down, `stylesheet` gives it its
 * colours.
 *
 * @typedef {"sp" | "dp" | "hp" | "int" | "tensor"} Precision
 *
 * @typedef {object} Gpu  As in the JSON report. Peaks in 10^9 operations a second.
 * @property {string} name
 * @property {string} clock
 * @property {number} bandwidth_gbs
 * @property {number | null} [l2_bandwidth_gbs]
 * @property {number | null} [l1_bandwidth_gbs]  Of L1 and shared memory.
 * @property {Partial<Record<Precision, number | null>>} peaks
 * @property {Partial<Record<Precision, number | null>>} ridge
 *
 * @typedef {object} Place  Where a kernel stands: operations per byte, 10^9 operations a second.
 * @property {number} intensity
 * @property {number} performance
 *
 * @typedef {object} Point  A kernel by the precision that it is farthest above the ridge in.
 * @property {string} id
 * @property {string} name
 * @property {string} path
 * @property {number} line  1-based.
 * @property {number} column  In UTF-8 bytes, 0-based.
 * @property {"CB" | "BB" | null} class
 * @property {number | null} confidence
 * @property {Precision} precision
 * @property {number | null} time_ns
 * @property {Place} predicted
 * @property {Place | null} measured
 *
 * @typedef {object} Prediction  The part of the JSON report's predictions that is drawn.
 * @property {"CB" | "BB" | null} class
 * @property {number | null} confidence
 * @property {number | null} time_ns
 *
 * @typedef {{x: number, y: number}} Pixel
 * @typedef {{at: Pixel, text: string, anchor: "start" | "middle" | "end", kind: string, turn?: number}} Label
 * @typedef {{from: Pixel, to: Pixel, kind: string}} Line
 * @typedef {{point: Point, at: Pixel, measured: Pixel | null, trail: Pixel[], label: Label | null, leader: Line | null}} Mark
 *   `trail` has where it stood before, the oldest first; `leader` joins it to a label that stands apart.
 * @typedef {{precision: Precision, at: Pixel}} Key  The shape that points of a precision have.
 * @typedef {object} Scene
 * @property {number} width
 * @property {number} height
 * @property {Line[]} lines
 * @property {Key[]} keys
 * @property {Label[]} labels
 * @property {Mark[]} marks
 * @property {string} title
 */

/** @type {readonly Precision[]} */
export const PRECISIONS = ["sp", "dp", "hp", "int", "tensor"];

/** @type {Record<Precision, string>} */
export const NAMES = { sp: "SP", dp: "DP", hp: "HP", int: "INT", tensor: "Tensor" };

/** @type {Record<Precision, string>} */
const OPERATIONS = { sp: "sp_flops", dp: "dp_flops", hp: "hp_flops", int: "int_ops", tensor: "tensor_flops" };

const MARGIN = { left: 64, right: 24, top: 20, bottom: 48 };
const MOST_LEADERS = 150; // with more points names stand beside their points or nowhere
const RINGS = [24, 38, 54, 74, 98, 126, 160, 200, 250, 310];
const CROWDED = 40; // with more points names stand near their points or nowhere: long lines cross one another
const NEAR = 74;
const KEY = 14; // pixels that a precision's shape takes at the end of its roof
const DIRECTIONS = 16;
const SHORTEST_ARROW = 24; // pixels, below which the head of an arrow would hide what it joins
const LETTER = 6.6; // the width of a letter of the labels, by which overlaps are judged

/**
 * The kernels of a report that have a place in the chart.
 *
 * @param {any} report  The JSON report.
 * @returns {Point[]}
 */
export function pointsOf(report) {
    /** @type {Point[]} */
    const points = [];
    for (const file of report.files) {
        for (const kernel of file.kernels) {
            // Where a measurement goes before the prediction, the report keeps the prediction with it.
            const prediction = kernel.measured?.predicted ?? kernel.prediction;
            const precision = decisive(prediction, report.gpu);
            const predicted = precision && place(prediction, precision, report.gpu);
            if (!precision || !predicted) {
                continue;
            }
            points.push({
                id: `${kernel.path}:${kernel.name_range.line}:${kernel.name}`,
                name: shownName(kernel.base_name),
                path: kernel.path,
                line: kernel.name_range.line,
                column: kernel.name_range.column,
                class: kernel.prediction.class,
                confidence: kernel.prediction.confidence,
                precision,
                time_ns: kernel.prediction.time_ns,
                predicted,
                measured: kernel.measured ? place(kernel.measured, precision, report.gpu) : null,
            });
        }
    }
    return points;
}

/** @param {string} name  As the report has it.  @returns {string} A target region by the function that it is in. */
export function shownName(name) {
    return name.replace(/^__omp_offloading_(.+)_l(\d+)$/, "target region of $1");
}

/**
 * The precision whose intensity is highest beside its ridge.
 *
 * @param {any} prediction
 * @param {Gpu} gpu
 * @returns {Precision | null}
 */
function decisive(prediction, gpu) {
    const ratio = (/** @type {Precision} */ p) => intensityOf(prediction, p) / (gpu.ridge[p] || Infinity);
    const found = PRECISIONS.filter((p) => ratio(p) > 0);
    return found.length ? found.reduce((best, p) => (ratio(p) > ratio(best) ? p : best)) : null;
}

/**
 * @param {any} numbers  A prediction or a measurement.
 * @param {Precision} precision
 * @param {Gpu} gpu
 * @returns {Place | null}
 */
function place(numbers, precision, gpu) {
    const intensity = intensityOf(numbers, precision);
    const operations = numbers[OPERATIONS[precision]];
    if (!intensity) {
        return null;
    }
    const performance = numbers.time_ns && operations ? operations / numbers.time_ns : attainable(gpu, precision, intensity);
    return { intensity, performance };
}

/**
 * Operations per DRAM byte, 0 where they are not known.
 *
 * @param {any} numbers
 * @param {Precision} precision
 * @returns {number}
 */
function intensityOf(numbers, precision) {
    const operations = numbers[OPERATIONS[precision]];
    return numbers[`${precision}_ai`] ?? (operations && numbers.dram_bytes ? operations / numbers.dram_bytes : 0);
}

/**
 * What the roof allows a kernel at its intensity, in 10^9 operations a second.
 *
 * @param {Gpu} gpu
 * @param {Precision} precision
 * @param {number} intensity
 */
export function attainable(gpu, precision, intensity) {
    return Math.min(gpu.peaks[precision] ?? Infinity, intensity * gpu.bandwidth_gbs);
}

const PREFIXES = ["", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"];
/** Units of time in ns, each for times of so many and more. */
const TIMES = /** @type {const} */ ([
    [365.25 * 24 * 3600e9, "years", 2],
    [24 * 3600e9, "days", 2],
    [3600e9, "h", 2],
    [60e9, "min", 2],
    [1e9, "s", 1],
    [1e6, "ms", 1],
    [1e3, "\u00b5s", 1],
]);

/**
 * @param {number} value
 * @param {string} unit  Of 10^9: "flop/s", "B/s".
 */
export function scaled(value, unit) {
    const text = digits(value * 1e9);
    return text.includes(" ") ? `${text}${unit}` : `${text} ${unit}`.trimEnd();
}

/**
 * Three digits, from 1000 on with a prefix: `0.612`, `39.2`, `396 k`.
 *
 * @param {number} value
 */
export function digits(value) {
    let [shown, step] = [value, 0];
    while (Math.abs(Number(shown.toPrecision(3))) >= 1000 && step < PREFIXES.length - 1) {
        [shown, step] = [shown / 1000, step + 1];
    }
    return `${Number(shown.toPrecision(3))} ${PREFIXES[step]}`.trimEnd();
}

/**
 * How many times, in two digits: `1.4`, `57`, `12,000`, `460 M`.
 *
 * @param {number} ratio
 */
export function ratioText(ratio) {
    const rounded = Number(ratio.toPrecision(2));
    return rounded >= 1e6 ? digits(rounded) : rounded.toLocaleString("en");
}

/**
 * `840 ns`, `18.2 \u00b5s`, `3.25 h`, `1.49 M years`.
 *
 * @param {number} nanoseconds
 */
export function duration(nanoseconds) {
    for (const [size, unit, least] of TIMES) {
        const value = nanoseconds / size;
        if (least === 1 ? Number(value.toPrecision(3)) >= 1 : value >= least) {
            return `${digits(value)} ${unit}`;
        }
    }
    return `${digits(nanoseconds)} ns`;
}

/** @param {Precision} precision */
export function unit(precision) {
    return precision === "int" ? "op" : "flop";
}

/**
 * Place everything in a picture of a size.
 *
 * @param {{gpu: Gpu, points: Point[], width: number, height: number, precisions: readonly Precision[], trails?: Map<string, Place[]>}} chart
 *   `trails`: where points stood before, by their ids.
 * @returns {Scene}
 */
export function layout({ gpu, points, width, height, precisions, trails = new Map() }) {
    const roofs = roofsOf(gpu, precisions);
    const shown = points.filter((point) => precisions.includes(point.precision));
    const placesOf = (/** @type {Point} */ point) => [point.predicted, ...(point.measured ? [point.measured] : []), ...(trails.get(point.id) ?? [])];
    const places = shown.flatMap(placesOf);
    const top = Math.max(1, ...roofs.map((roof) => roof.peak));
    const ridges = roofs.map((roof) => roof.peak / gpu.bandwidth_gbs);
    const intensities = [...places.map((p) => p.intensity), ...ridges];
    /** @type {[number, number]} */
    const xs = [Math.min(0.1, ...intensities.map((value) => value / 3)), Math.max(100, ...intensities.map((value) => 3 * value))];
    const lowest = Math.min(gpu.bandwidth_gbs * xs[0], ...places.map((p) => p.performance));
    /** @type {[number, number]} */
    const ys = [lowest / 1.5, top * 2.5];
    const scale = scales(xs, ys, width, height);
    const memory = slopes(gpu, top, xs, ys, scale);
    const level = roofLines(gpu, roofs, xs, scale);
    const lines = [...grid(xs, ys, scale), ...memory, ...level];
    const crossed = [...memory, ...level].flatMap(along);
    const taken = [...places.map((at) => around(pixelOf(at, scale))), ...crossed];
    const flat = [...axes(xs, ys, scale, width, height), ...roofLabels(roofs, xs, scale), ...keyOf(shown)];
    const turned = memories(gpu).map((each, at) => slopeLabel(each, /** @type {Line} */ (memory[at]), [...taken, ...flat.map(boxOf)]));
    taken.push(...flat.map(boxOf), ...turned.flatMap(alongText));
    return { width, height, lines, labels: [...flat, ...turned], keys: roofKeys(roofs, xs, scale), marks: marksOf(shown, trails, { taken, crossed: new Set(crossed) }, scale, { width, height }), title: `Roofline of ${gpu.name}` };
}

/** What the marks mean, where some kernels were measured.  @param {Point[]} points  @returns {Label[]} */
function keyOf(points) {
    const measured = points.some((point) => point.measured);
    return measured ? [label(MARGIN.left + 4, 13, "filled: predicted; arrow to what was measured: hollow", "start", "key")] : [];
}

/**
 * The roofs, precisions of one peak together.
 *
 * @param {Gpu} gpu
 * @param {readonly Precision[]} precisions
 * @returns {{precisions: Precision[], peak: number}[]}
 */
function roofsOf(gpu, precisions) {
    /** @type {{precisions: Precision[], peak: number}[]} */
    const roofs = [];
    for (const precision of PRECISIONS.filter((each) => precisions.includes(each))) {
        const peak = gpu.peaks[precision];
        const same = roofs.find((roof) => roof.peak === peak);
        if (same) {
            same.precisions.push(precision);
        } else if (peak) {
            roofs.push({ precisions: [precision], peak });
        }
    }
    return roofs;
}

/**
 * @typedef {{x: (value: number) => number, y: (value: number) => number}} Scale
 * @param {[number, number]} xs
 * @param {[number, number]} ys
 * @param {number} width
 * @param {number} height
 * @returns {Scale}
 */
function scales(xs, ys, width, height) {
    const across = (width - MARGIN.left - MARGIN.right) / Math.log10(xs[1] / xs[0]);
    const up = (height - MARGIN.top - MARGIN.bottom) / Math.log10(ys[1] / ys[0]);
    return {
        x: (value) => MARGIN.left + across * Math.log10(value / xs[0]),
        y: (value) => height - MARGIN.bottom - up * Math.log10(value / ys[0]),
    };
}

/** @param {[number, number]} range  @returns {number[]} The powers of ten in it. */
function powers([low, high]) {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const count = Math.floor(Math.log10(high) + 1e-9) - first + 1;
    return Array.from({ length: Math.max(count, 0) }, (_, at) => 10 ** (first + at));
}

/**
 * @param {[number, number]} xs
 * @param {[number, number]} ys
 * @param {Scale} scale
 * @returns {Line[]}
 */
function grid(xs, ys, scale) {
    const [left, right, bottom, top] = [scale.x(xs[0]), scale.x(xs[1]), scale.y(ys[0]), scale.y(ys[1])];
    return [
        ...powers(xs).map((value) => ({ from: { x: scale.x(value), y: bottom }, to: { x: scale.x(value), y: top }, kind: "grid" })),
        ...powers(ys).map((value) => ({ from: { x: left, y: scale.y(value) }, to: { x: right, y: scale.y(value) }, kind: "grid" })),
    ];
}

/**
 * @param {Gpu} gpu
 * @returns {{gbs: number, kind: string, name: string}[]}
 */
function memories(gpu) {
    const found = [{ gbs: gpu.bandwidth_gbs, kind: "dram", name: "DRAM" }];
    if (gpu.l2_bandwidth_gbs && gpu.l2_bandwidth_gbs > gpu.bandwidth_gbs) {
        found.push({ gbs: gpu.l2_bandwidth_gbs, kind: "l2", name: "L2" });
    }
    if (gpu.l1_bandwidth_gbs && gpu.l1_bandwidth_gbs > gpu.bandwidth_gbs) {
        found.push({ gbs: gpu.l1_bandwidth_gbs, kind: "l1", name: "L1, shared" });
    }
    return found;
}

/**
 * @param {Gpu} gpu
 * @param {number} top
 * @param {[number, number]} xs
 * @param {[number, number]} ys
 * @param {Scale} scale
 * @returns {Line[]}
 */
function slopes(gpu, top, xs, ys, scale) {
    return memories(gpu).map(({ gbs, kind }) => {
        const start = Math.max(xs[0], ys[0] / gbs);
        const end = Math.min(xs[1], top / gbs);
        return { from: { x: scale.x(start), y: scale.y(start * gbs) }, to: { x: scale.x(end), y: scale.y(end * gbs) }, kind };
    });
}

/**
 * @param {Gpu} gpu
 * @param {{precisions: Precision[], peak: number}[]} roofs
 * @param {[number, number]} xs
 * @param {Scale} scale
 * @returns {Line[]}
 */
function roofLines(gpu, roofs, xs, scale) {
    return roofs.map(({ precisions, peak }) => {
        const start = Math.max(xs[0], peak / gpu.bandwidth_gbs);
        const y = scale.y(peak);
        return { from: { x: scale.x(start), y }, to: { x: scale.x(xs[1]), y }, kind: `roof ${precisions[0]}` };
    });
}

/**
 * @param {{precisions: Precision[], peak: number}[]} roofs
 * @param {[number, number]} xs
 * @param {Scale} scale
 * @returns {Label[]}
 */
function roofLabels(roofs, xs, scale) {
    return roofs.map(({ precisions, peak }) => {
        const names = precisions.map((precision) => NAMES[precision]).join(", ");
        const text = `${names}  ${scaled(peak, `${unit(/** @type {Precision} */ (precisions[0]))}/s`)}`;
        return { at: { x: scale.x(xs[1]) - KEY * precisions.length, y: scale.y(peak) - 6 }, text, anchor: "end", kind: `roof ${precisions[0]}` };
    });
}

/**
 * The shape of each precision's points behind the words of its roof, so that colour says nothing alone.
 *
 * @param {{precisions: Precision[], peak: number}[]} roofs
 * @param {[number, number]} xs
 * @param {Scale} scale
 * @returns {Key[]}
 */
function roofKeys(roofs, xs, scale) {
    return roofs.flatMap(({ precisions, peak }) =>
        precisions.map((precision, at) => {
            const behind = precisions.length - 1 - at;
            return { precision, at: { x: scale.x(xs[1]) - 6 - KEY * behind, y: scale.y(peak) - 10 } };
        }),
    );
}

/**
 * A label above a slope, where it covers least.
 *
 * @param {{gbs: number, kind: string, name: string}} memory
 * @param {Line} line
 * @param {Box[]} taken
 * @returns {Label}
 */
function slopeLabel({ gbs, kind, name }, { from, to }, taken) {
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    const tries = [0.16, 0.3, 0.5, 0.7, 0.84].map((share) => ({
        at: {
            x: from.x + share * (to.x - from.x) + 7 * Math.sin(angle),
            y: from.y + share * (to.y - from.y) - 7 * Math.cos(angle),
        },
        text: `${name}  ${scaled(gbs, "B/s")}`,
        anchor: /** @type {const} */ ("middle"),
        kind: `slope ${kind}`,
        turn: (angle * 180) / Math.PI,
    }));
    const outside = (/** @type {Box} */ box) => box.left < MARGIN.left + 4 || box.top < 2;
    const covered = tries.map((each) => alongText(each).filter((box) => outside(box) || taken.some((other) => overlap(box, other))).length);
    return /** @type {Label} */ (tries[covered.indexOf(Math.min(...covered))]);
}

/**
 * @param {[number, number]} xs
 * @param {[number, number]} ys
 * @param {Scale} scale
 * @param {number} width
 * @param {number} height
 * @returns {Label[]}
 */
function axes(xs, ys, scale, width, height) {
    const below = scale.y(ys[0]) + 18;
    return [
        ...powers(xs).map((value) => label(scale.x(value), below, digits(value), "middle", "tick")),
        ...powers(ys).map((value) => label(MARGIN.left - 8, scale.y(value) + 4, scaled(value, ""), "end", "tick")),
        label((MARGIN.left + width - MARGIN.right) / 2, height - 10, "operations per DRAM byte", "middle", "axis"),
        { ...label(14, (height - MARGIN.bottom + MARGIN.top) / 2, "operations per second", "middle", "axis"), turn: -90 },
    ];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {Label["anchor"]} anchor
 * @param {string} kind
 * @returns {Label}
 */
function label(x, y, text, anchor, kind) {
    return { at: { x, y }, text, anchor, kind };
}

/**
 * @param {Place} place
 * @param {Scale} scale
 * @returns {Pixel}
 */
function pixelOf(place, scale) {
    return { x: scale.x(place.intensity), y: scale.y(place.performance) };
}

/**
 * @param {Point[]} points
 * @param {Map<string, Place[]>} trails
 * @param {{taken: Box[], crossed: Set<Box>}} room  What names keep clear of; what they may cross where there is no other room.
 * @param {Scale} scale
 * @param {{width: number, height: number}} size
 * @returns {Mark[]}
 */
function marksOf(points, trails, { taken, crossed }, scale, size) {
    const marks = points.map((point) => ({
        point,
        at: pixelOf(point.predicted, scale),
        measured: point.measured ? pixelOf(point.measured, scale) : null,
        trail: (trails.get(point.id) ?? []).map((place) => pixelOf(place, scale)),
        label: /** @type {Label | null} */ (null),
        leader: /** @type {Line | null} */ (null),
    }));
    const boxes = [...taken];
    for (const mark of marks) {
        mark.label = freeLabel(mark.at, mark.point.name, boxes, size);
        if (mark.label) {
            boxes.push(boxOf(mark.label));
        }
    }
    const farthest = marks.length > CROWDED ? NEAR : Infinity;
    for (const mark of marks.length > MOST_LEADERS ? [] : marks.filter((each) => !each.label)) {
        const firm = boxes.filter((box) => !crossed.has(box));
        const [at, name] = [mark.at, mark.point.name];
        mark.label = labelApart(at, name, boxes, size, farthest) ?? labelApart(at, name, firm, size, farthest);
        if (mark.label) {
            boxes.push(boxOf(mark.label));
            mark.leader = leaderOf(mark.at, mark.label);
        }
    }
    return marks;
}

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/** @param {Pixel} at  @returns {Box} */
function around({ x, y }) {
    return { left: x - 6, right: x + 6, top: y - 6, bottom: y + 6 };
}

/** @param {Box} a  @param {Box} b */
function overlap(a, b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** @param {Line} line  @returns {Box[]} Small boxes along it, which names keep clear of. */
function along({ from, to }) {
    const count = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 8);
    return Array.from({ length: count + 1 }, (_, at) => {
        const [x, y] = [from.x + ((to.x - from.x) * at) / count, from.y + ((to.y - from.y) * at) / count];
        return { left: x - 1, right: x + 1, top: y - 1, bottom: y + 1 };
    });
}

/** @param {Label} of  @returns {Box[]} Small boxes along a turned text. */
function alongText({ at, text, turn = 0 }) {
    const [dx, dy] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
    const half = (text.length * LETTER) / 2;
    return [-1, -0.6, -0.2, 0.2, 0.6, 1].map((share) => {
        const [x, y] = [at.x + share * half * dx + 4 * dy, at.y + share * half * dy - 4 * dx];
        return { left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 };
    });
}

/** @param {Label} of  @returns {Box} */
function boxOf({ at, text, anchor }) {
    const length = text.length * LETTER;
    const left = anchor === "start" ? at.x : anchor === "end" ? at.x - length : at.x - length / 2;
    return { left, right: left + length, top: at.y - 10, bottom: at.y + 3 };
}

/**
 * A label beside a point that covers nothing, or none.
 *
 * @param {Pixel} at
 * @param {string} text
 * @param {Box[]} boxes
 * @param {{width: number, height: number}} size
 * @returns {Label | null}
 */
function freeLabel(at, text, boxes, size) {
    const tries = [
        label(at.x + 10, at.y + 4, text, "start", "name"),
        label(at.x - 10, at.y + 4, text, "end", "name"),
        label(at.x + 8, at.y + 16, text, "start", "name"),
        label(at.x - 8, at.y - 8, text, "end", "name"),
        label(at.x, at.y + 20, text, "middle", "name"),
        label(at.x, at.y - 11, text, "middle", "name"),
    ];
    return tries.find((each) => isFree(each, boxes, size)) ?? null;
}

/**
 * A label at the end of a short line, the nearest that covers nothing, or none: every name is in the list as well.
 *
 * @param {Pixel} at
 * @param {string} text
 * @param {Box[]} boxes
 * @param {{width: number, height: number}} size
 * @param {number} farthest
 * @returns {Label | null}
 */
function labelApart(at, text, boxes, size, farthest) {
    for (const radius of RINGS.filter((each) => each <= farthest)) {
        for (let turn = 0; turn < DIRECTIONS; turn++) {
            const angle = (2 * Math.PI * turn) / DIRECTIONS;
            const [x, y] = [at.x + radius * Math.cos(angle), at.y + radius * Math.sin(angle)];
            const tried = label(x, y + 4, text, Math.cos(angle) >= 0 ? "start" : "end", "name");
            if (isFree(tried, boxes, size)) {
                return tried;
            }
        }
    }
    return null;
}

/**
 * @param {Label} tried
 * @param {Box[]} boxes
 * @param {{width: number, height: number}} size
 */
function isFree(tried, boxes, { width, height }) {
    const box = boxOf(tried);
    const inside = box.left > MARGIN.left && box.right < width - 4 && box.top > 2 && box.bottom < height - MARGIN.bottom;
    return inside && !boxes.some((other) => overlap(box, other));
}

/** @param {Pixel} at  @param {Label} label  @returns {Line} From the edge of a point to a label. */
function leaderOf(at, { at: end, anchor }) {
    const to = { x: end.x + (anchor === "start" ? -2 : 2), y: end.y - 4 };
    const length = Math.hypot(to.x - at.x, to.y - at.y) || 1;
    const from = { x: at.x + (7 * (to.x - at.x)) / length, y: at.y + (7 * (to.y - at.y)) / length };
    return { from, to, kind: "leader" };
}

/** @param {string} text */
export function escape(text) {
    return text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
}

/**
 * The scene as the text of an SVG element. Colours come from a style sheet: see `stylesheet`.
 *
 * @param {Scene} scene
 * @param {{style?: string, interactive?: boolean, titles?: boolean, describe?: (point: Point) => string}} [options]
 *   `style` puts a style sheet into it; `interactive` makes buttons of the points; without `titles` whoever shows it has
 *   tips of its own.
 */
export function render(scene, { style, interactive = false, titles = true, describe = (point) => point.name } = {}) {
    const lines = scene.lines.map(renderLine);
    const marks = scene.marks.map((mark) => renderMark(mark, interactive, titles, describe(mark.point)));
    return [
        `<svg xmlns="http://www.w3.org/2000/svg" class="roofline" viewBox="0 0 ${scene.width} ${scene.height}"`,
        ` width="${scene.width}" height="${scene.height}" role="${interactive ? "group" : "img"}" aria-label="${escape(scene.title)}">`,
        style ? `<style>${style}</style><rect class="paper" width="100%" height="100%"/>` : "",
        ...lines,
        ...scene.labels.map(renderLabel),
        ...scene.keys.map(({ precision, at }) => `<g class="key ${precision}"><path class="dot" d="${shape(precision, at, 4.5)}"/></g>`),
        ...marks,
        "</svg>",
    ].join("");
}

/** @param {number} value */
function px(value) {
    return String(Math.round(value * 10) / 10);
}

/** @param {Label} of */
function renderLabel({ at, text, anchor, kind, turn }) {
    const turned = turn === undefined ? "" : ` transform="rotate(${px(turn)} ${px(at.x)} ${px(at.y)})"`;
    return `<text class="${kind}" x="${px(at.x)}" y="${px(at.y)}" text-anchor="${anchor}"${turned}>${escape(text)}</text>`;
}

/**
 * The outline of a point: a shape for each precision, so that colour says nothing alone.
 *
 * @param {Precision} precision
 * @param {Pixel} at
 * @param {number} r
 */
export function shape(precision, { x, y }, r) {
    const corner = (/** @type {[number, number]} */ [dx, dy]) => `${px(x + dx * r)} ${px(y + dy * r)}`;
    const corners = CORNERS[precision];
    return corners
        ? `M${corners.map(corner).join("L")}Z`
        : `M${px(x - r)} ${px(y)}a${px(r)} ${px(r)} 0 1 0 ${px(2 * r)} 0a${px(r)} ${px(r)} 0 1 0 ${px(-2 * r)} 0Z`;
}

/** @type {Record<Precision, [number, number][] | null>} Beside a radius of 1; null is a circle. */
const CORNERS = {
    sp: null,
    dp: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    hp: [[-1.1, -0.8], [1.1, -0.8], [0, 1.15]],
    int: [[-1.1, 0.8], [1.1, 0.8], [0, -1.15]],
    tensor: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
};

/**
 * @param {Mark} mark
 * @param {boolean} interactive
 * @param {boolean} titles
 * @param {string} description
 */
function renderMark({ point, at, measured, trail, label: name, leader }, interactive, titles, description) {
    const button = interactive ? ` tabindex="-1" role="button" data-id="${escape(point.id)}" aria-label="${escape(description)}"` : "";
    const title = titles ? `<title>${escape(description)}</title>` : "";
    const joined = measured ? `${renderArrow(at, measured)}<path class="measured" d="${shape(point.precision, measured, 5)}"/>` : "";
    const way = [...trail, at].map(({ x, y }) => `${px(x)},${px(y)}`).join(" ");
    const walked = trail.length
        ? `<polyline class="trail" points="${way}"/>${trail.map((step) => `<path class="step" d="${shape(point.precision, step, 2.5)}"/>`).join("")}`
        : "";
    return (
        `<g class="point ${point.precision}"${button}>${title}${joined}${walked}${leader ? renderLine(leader) : ""}` +
        `<circle class="halo" cx="${px(at.x)}" cy="${px(at.y)}" r="11"/><path class="dot" d="${shape(point.precision, at, 5)}"/>` +
        `${name ? renderLabel(name) : ""}</g>`
    );
}

/**
 * The way from a predicted place to the measured one, with the head of an arrow beside the latter; without a head where
 * the two nearly touch.
 *
 * @param {Pixel} from
 * @param {Pixel} to
 */
function renderArrow(from, to) {
    const line = renderLine({ from, to, kind: "joined" });
    const head = arrowHead(from, to);
    return head ? `${line}<path class="head" d="M${head.map(({ x, y }) => `${px(x)} ${px(y)}`).join("L")}Z"/>` : line;
}

/**
 * The corners of the head of such an arrow, its tip first; null where it has none.
 *
 * @param {Pixel} from
 * @param {Pixel} to
 * @returns {Pixel[] | null}
 */
export function arrowHead(from, to) {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length < SHORTEST_ARROW) {
        return null;
    }
    const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
    const corner = (/** @type {number} */ back, /** @type {number} */ aside) =>
        ({ x: to.x - ux * back - uy * aside, y: to.y - uy * back + ux * aside });
    return [corner(7, 0), corner(14, 3.5), corner(14, -3.5)];
}

/** @param {Line} line */
function renderLine({ from, to, kind }) {
    return `<line class="${kind}" x1="${px(from.x)}" y1="${px(from.y)}" x2="${px(to.x)}" y2="${px(to.y)}"/>`;
}

/**
 * @typedef {Record<Precision | "text" | "muted" | "grid" | "paper" | "focus", string> & {font: string}} Theme  CSS colours and a font family.
 */

/**
 * The style sheet of the drawing.
 *
 * @param {Theme} theme
 */
export function stylesheet(theme) {
    return `
.roofline { font: 11px ${theme.font}; }
.roofline text { fill: ${theme.muted}; }
.roofline .paper { fill: ${theme.paper}; }
.roofline .grid { stroke: ${theme.grid}; stroke-width: 1; }
.roofline line.roof, .roofline .dram { stroke-width: 1.75; stroke-linecap: round; }
.roofline .dram { stroke: ${theme.text}; opacity: 0.75; }
.roofline .l2 { stroke: ${theme.muted}; stroke-width: 1.25; stroke-dasharray: 5 4; opacity: 0.6; }
.roofline .l1 { stroke: ${theme.muted}; stroke-width: 1.25; stroke-dasharray: 1 4; stroke-linecap: round; opacity: 0.8; }
.roofline text.dram, .roofline text.l2, .roofline text.l1 { stroke: none; opacity: 1; }
.roofline text.roof { fill: ${theme.text}; }
.roofline .point { cursor: pointer; outline: none; }
.roofline .point .name { fill: ${theme.text}; }
.roofline .halo { fill: transparent; stroke: none; }
.roofline .dot { stroke: ${theme.paper}; stroke-width: 1.5; }
.roofline .measured { fill: ${theme.paper}; stroke-width: 1.75; }
.roofline .joined { stroke-width: 1.25; stroke-dasharray: 2 3; }
.roofline .leader { stroke: ${theme.muted}; stroke-width: 0.75; opacity: 0.7; }
.roofline .trail { fill: none; stroke-width: 1.5; opacity: 0.6; }
.roofline .step { opacity: 0.6; }
.roofline .point:focus-visible .halo, .roofline .point.active .halo { stroke: ${theme.focus}; stroke-width: 1.5; }
${PRECISIONS.map(
    (p) => `.roofline line.roof.${p}, .roofline .${p} .measured, .roofline .${p} .joined, .roofline .${p} .trail { stroke: ${theme[p]}; }
.roofline .${p} .dot, .roofline .${p} .step, .roofline .${p} .head { fill: ${theme[p]}; }`,
).join("\n")}`;
}
