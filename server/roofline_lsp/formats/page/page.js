// The page's own part: draws the chart, sorts and filters the table. `pointsOf`, `layout`, `render`, `stylesheet` and
// `PRECISIONS` stand above it in the same script, from chart/roofline.js.

const report = JSON.parse(document.getElementById("report").textContent);
const points = pointsOf(report);
const chart = document.getElementById("chart");
const rows = [...document.querySelectorAll("#kernels tbody tr")];
const filter = document.getElementById("filter");
const classes = document.getElementById("class");

const variables = Object.fromEntries(["text", "muted", "grid", "paper", "focus", ...PRECISIONS].map((name) => [name, `var(--${name})`]));
const sheet = new CSSStyleSheet();
sheet.replaceSync(stylesheet({ ...variables, font: "system-ui, sans-serif" }));
document.adoptedStyleSheets = [sheet];

function shown() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((row) => {
        const text = row.dataset.words;
        return words.every((word) => text.includes(word)) && (!classes.value || row.dataset.class === classes.value);
    });
}

function draw() {
    const ids = new Set(shown().map((row) => row.dataset.id));
    const visible = points.filter((point) => ids.has(point.id));
    const used = PRECISIONS.filter((each) => points.some((point) => point.precision === each));
    const width = Math.max(480, chart.clientWidth);
    const scene = layout({ gpu: report.gpu, points: visible, width, height: Math.round(Math.min(560, width * 0.6)), precisions: used.length ? used : ["sp"] });
    const describe = (point) => `${point.name}, ${point.class ?? "undecided"}, ${point.path}:${point.line}`;
    chart.innerHTML = render(scene, { interactive: true, describe });
    chart.querySelectorAll("[data-id]").forEach((mark) => mark.setAttribute("tabindex", "0"));
}

function refilter() {
    const kept = new Set(shown());
    rows.forEach((row) => (row.hidden = !kept.has(row)));
    document.getElementById("count").textContent = `${kept.size} of ${rows.length} kernels`;
    draw();
}

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
        return unknown || sign * (numbers ? a.value - b.value || 0 : a.value.localeCompare(b.value, undefined, { numeric: true }));
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
chart.addEventListener("keydown", (event) => event.key === "Enter" && openPoint(event.target.closest("[data-id]")));
filter.addEventListener("input", refilter);
classes.addEventListener("change", refilter);
document.getElementById("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() === "#14171b";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
});
document.querySelectorAll(".scripted").forEach((each) => (each.hidden = false));
new ResizeObserver(() => draw()).observe(chart);
refilter();
