// The page's own part: draws the chart, sorts and filters the table. `pointsOf`, `layout`, `render`, `stylesheet`,
// `duration` and `PRECISIONS` stand above it in the same script, from chart/roofline.js.

const report = JSON.parse(document.getElementById("report").textContent);
const kernels = report.files.flatMap((file) => file.kernels);
const identity = (kernel) => `${kernel.path}:${kernel.name_range.line}:${kernel.name}`;
const byId = new Map(kernels.map((kernel) => [identity(kernel), kernel]));
const wrongIds = new Set(kernels.filter((k) => k.measured?.class && k.measured.class !== k.measured.predicted_class).map(identity));
const MANY = 150; // points from which on their density is drawn, and the names of outliers alone
const NAMED = 30;
const CELL = 18; // pixels of a cell of the density
const chart = document.getElementById("chart");
const wrongOnly = document.getElementById("wrong");
const gpus = document.getElementById("gpu");
const rows = [...document.querySelectorAll("#kernels tbody tr")];
const filter = document.getElementById("filter");
const classes = document.getElementById("class");

const variables = Object.fromEntries(["text", "muted", "grid", "paper", "focus", ...PRECISIONS].map((name) => [name, `var(--${name})`]));
const sheet = new CSSStyleSheet();
sheet.replaceSync(stylesheet({ ...variables, font: "system-ui, sans-serif" }));
document.adoptedStyleSheets = [sheet];

let points = sortedPoints(report);
let used = report.gpu;

// ---- Another GPU, by the operations and bytes of the report's

const DECIDING = report.rule === "study" ? ["sp", "dp", "int"] : PRECISIONS;
const AMOUNTS = { sp: "sp_flops", dp: "dp_flops", hp: "hp_flops", int: "int_ops", tensor: "tensor_flops" };

function reckonedClass(prediction, gpu) {
    const bytes = prediction.dram_bytes;
    const above = (p) => gpu.peaks[p] && prediction[AMOUNTS[p]] / bytes > gpu.peaks[p] / gpu.bandwidth_gbs;
    return bytes > 0 ? (DECIDING.some(above) ? "CB" : "BB") : null;
}

/** The least time in ns: 10^9 a second are 1 a ns. A pipe that a GPU lacks makes it unknown. */
function roofTime(prediction, gpu) {
    const busy = PRECISIONS.filter((p) => prediction[AMOUNTS[p]] > 0);
    if (busy.some((p) => !gpu.peaks[p])) {
        return NaN;
    }
    return Math.max(prediction.dram_bytes / gpu.bandwidth_gbs, ...busy.map((p) => prediction[AMOUNTS[p]] / gpu.peaks[p]));
}

/** The prediction there; class and time are null where the same way does not give the report's own class here. */
function reckoned(kernel, gpu) {
    const prediction = kernel.measured?.predicted ?? kernel.prediction;
    const holds = prediction.class !== null && reckonedClass(prediction, report.gpu) === prediction.class;
    const time = (prediction.time_ns * roofTime(prediction, gpu)) / roofTime(prediction, report.gpu);
    return { ...prediction, class: holds ? reckonedClass(prediction, gpu) : null, time_ns: prediction.time_ns !== null && time > 0 ? time : null };
}

function chosenGpu() {
    const found = report.gpus[Number(gpus.value) - 1];
    if (!found) {
        return null;
    }
    const ridge = Object.fromEntries(Object.entries(found.peaks).map(([p, peak]) => [p, peak / found.bandwidth_gbs]));
    return { ...found, clock: report.gpu.clock, ridge, l2_bandwidth_gbs: null };
}

function switchGpu() {
    const gpu = chosenGpu();
    used = gpu ?? report.gpu;
    document.getElementById("approximate").hidden = !gpu;
    document.querySelectorAll("#kernels .there").forEach((cell) => (cell.hidden = !gpu));
    const there = new Map(kernels.map((kernel) => [identity(kernel), gpu && reckoned(kernel, gpu)]));
    for (const row of gpu ? rows : []) {
        const { class: verdict, time_ns } = there.get(row.dataset.id);
        const [classCell, timeCell] = row.querySelectorAll(".there");
        classCell.textContent = verdict ?? "not reckoned";
        classCell.className = `there ${verdict ?? "undecided"}`;
        timeCell.textContent = time_ns === null ? "" : `\u2248 ${duration(time_ns)}`;
        timeCell.dataset.value = String(time_ns ?? NaN);
    }
    const moved = gpu ? { gpu, files: [{ kernels: kernels.map((kernel) => ({ ...kernel, measured: null, prediction: there.get(identity(kernel)) })) }] } : report;
    points = sortedPoints(moved);
    draw();
}

// ---- The chart

/** The points, those far from all others and the slowest first: they are named first where there is little room. */
function sortedPoints(of) {
    const found = pointsOf(of);
    const place = ({ predicted }) => [Math.log10(predicted.intensity), Math.log10(predicted.performance)];
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
    const middle = [0, 1].map((axis) => mean(found.map((point) => place(point)[axis])));
    const slowest = new Set([...found].sort((a, b) => (b.time_ns ?? 0) - (a.time_ns ?? 0)).slice(0, 5));
    const far = (point) => Math.hypot(...place(point).map((value, axis) => value - middle[axis])) + (slowest.has(point) || wrongIds.has(point.id) ? 100 : 0);
    return found.map((point) => ({ point, far: far(point) })).sort((a, b) => b.far - a.far).map((each) => each.point);
}

/** Squares behind crowded points, the darker the more there are. */
function density(marks) {
    const cells = new Map();
    for (const { at } of marks) {
        const key = `${Math.floor(at.x / CELL)} ${Math.floor(at.y / CELL)}`;
        cells.set(key, (cells.get(key) ?? 0) + 1);
    }
    const most = Math.max(...cells.values());
    return [...cells].map(([key, count]) => {
        const [x, y] = key.split(" ").map((at) => Number(at) * CELL);
        const opacity = (0.08 + (0.5 * Math.log1p(count)) / Math.log1p(most)).toFixed(2);
        return `<rect class="density" x="${x}" y="${y}" width="${CELL}" height="${CELL}" fill-opacity="${opacity}"/>`;
    }).join("");
}

function shown() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((row) => {
        const text = row.dataset.words;
        return words.every((word) => text.includes(word)) && (!classes.value || row.dataset.class === classes.value) && (!wrongOnly?.checked || wrongIds.has(row.dataset.id));
    });
}

function draw() {
    const focused = chart.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
    const ids = new Set(shown().map((row) => row.dataset.id));
    const visible = points.filter((point) => ids.has(point.id));
    const present = PRECISIONS.filter((each) => points.some((point) => point.precision === each));
    const width = Math.max(480, chart.clientWidth);
    const scene = layout({ gpu: used, points: visible, width, height: Math.round(Math.min(560, width * 0.6)), precisions: present.length ? present : ["sp"] });
    const many = scene.marks.length > MANY;
    if (many) {
        scene.marks.forEach((mark, at) => (mark.label = at < NAMED ? mark.label : null));
    }
    const describe = (point) => `${point.name}, ${point.class ?? "undecided"}${wrongIds.has(point.id) ? ` (measured: ${byId.get(point.id).measured.class})` : ""}, ${point.path}:${point.line}`;
    const drawn = render(scene, { interactive: true, describe });
    chart.innerHTML = many ? drawn.replace('<g class="point', () => `${density(scene.marks)}<g class="point`).replace('class="roofline"', 'class="roofline many"') : drawn;
    chart.querySelectorAll("[data-id]").forEach((mark) => mark.classList.toggle("wrong", wrongIds.has(mark.dataset.id)));
    chart.querySelectorAll("[data-id]").forEach((mark) => mark.setAttribute("tabindex", "0"));
    [...chart.querySelectorAll("[data-id]")].find((mark) => mark.dataset.id === focused)?.focus({ preventScroll: true });
}

function refilter() {
    const kept = new Set(shown());
    rows.forEach((row) => (row.hidden = !kept.has(row)));
    document.getElementById("count").textContent = `${kept.size} of ${rows.length} kernels`;
    draw();
}

const collator = new Intl.Collator(undefined, { numeric: true });

function key(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
}

function sortBy(head) {
    const column = head.cellIndex;
    const numbers = head.classList.contains("number");
    const before = head.getAttribute("aria-sort");
    const order = before ? (before === "ascending" ? "descending" : "ascending") : numbers ? "descending" : "ascending";
    head.parentNode.querySelectorAll("th").forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const keyed = rows.map((row) => ({ row, value: key(row, column) }));
    keyed.sort((a, b) => {
        const unknown = numbers ? Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value)) : 0; // last in either order
        return unknown || sign * (numbers ? a.value - b.value || 0 : collator.compare(a.value, b.value));
    });
    const body = document.querySelector("#kernels tbody");
    body.append(...keyed.map((each) => each.row));
}

function open(id) {
    const found = document.getElementById(id);
    if (found) {
        found.open = true;
        found.scrollIntoView({ block: "center" });
        found.querySelector("summary").focus({ preventScroll: true });
    }
}

function openPoint(mark) {
    const row = rows.find((each) => each.dataset.id === mark?.dataset.id);
    if (row) {
        open(row.dataset.details);
    }
}

document.querySelectorAll("#kernels th button").forEach((button) => button.addEventListener("click", () => sortBy(button.parentNode)));
document.querySelector("#kernels tbody")?.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link) {
        event.preventDefault();
        open(link.hash.slice(1));
    }
});
chart.addEventListener("click", (event) => openPoint(event.target.closest("[data-id]")));
chart.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
        event.preventDefault(); // or the same key would close what it opened, which has the focus then
        openPoint(event.target.closest("[data-id]"));
    }
});
filter.addEventListener("input", refilter);
classes.addEventListener("change", refilter);
wrongOnly?.addEventListener("change", refilter);
[report.gpu, ...report.gpus].forEach((gpu, at) => gpus.add(new Option(gpu.name, String(at))));
gpus.addEventListener("change", switchGpu);
document.getElementById("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() === "#14171b";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
});
document.querySelectorAll(".scripted").forEach((each) => (each.hidden = false));
new ResizeObserver(() => draw()).observe(chart);
refilter();
