/** The roofline panel's page: a drawing, the kernels as a list, and a few switches. */

import {
    PRECISIONS,
    layout,
    pointsOf,
    render,
    type Gpu,
    type Point,
    type Precision,
} from "../../../../server/roofline_lsp/formats/chart/roofline.js";
import { type Draw, type FromPage, type ToPage } from "../features/panelMessages";
import { drawing } from "./export";
import { describe, emptyPage, header, list } from "./parts";
import { installStyle } from "./theme";

interface Saved {
    scope?: Draw["scope"];
    hidden?: Precision[];
}

const editor = acquireVsCodeApi<Saved>();
const app = document.getElementById("app") as HTMLElement;
let drawn: Draw | undefined;
let points: Point[] = [];
let hidden = new Set<Precision>(editor.getState()?.hidden ?? []);
let active: string | undefined;

function tell(message: FromPage): void {
    editor.postMessage(message);
}

/** The precisions that some kernel is judged by, and single precision, less those switched off. */
function present(): Precision[] {
    return PRECISIONS.filter((p) => p === "sp" || points.some((point) => point.precision === p));
}

function shownPrecisions(): Precision[] {
    return present().filter((p) => !hidden.has(p));
}

function drawAll(): void {
    if (!drawn) {
        return;
    }
    const report = drawn.report;
    points = report ? pointsOf(report) : [];
    const focused = document.activeElement?.getAttribute("data-key");
    app.replaceChildren(header(drawn, present(), hidden, actions));
    if (!report || points.length === 0) {
        app.append(emptyPage(drawn.empty));
    } else {
        const chart = document.createElement("div");
        chart.className = "chart";
        app.append(chart, list(points, report.gpu, drawn.scope, choose, activate));
        drawChart(chart, report.gpu);
        follow();
    }
    if (focused) {
        app.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    }
}

function size(chart: HTMLElement): { width: number; height: number } {
    const width = Math.max(chart.clientWidth, 320);
    return { width, height: Math.round(Math.min(Math.max(width * 0.62, 260), Math.max(window.innerHeight * 0.58, 260))) };
}

function drawChart(chart: HTMLElement, gpu: Gpu): void {
    const scene = layout({ gpu, points, ...size(chart), precisions: shownPrecisions() });
    const text = render(scene, { interactive: true, describe: (point) => describe(point, gpu) });
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    chart.replaceChildren(document.importNode(svg, true));
    for (const group of chart.querySelectorAll<SVGGElement>("[data-id]")) {
        const point = points.find((each) => each.id === group.dataset["id"]);
        if (point) {
            group.addEventListener("click", () => { choose(point); });
            group.addEventListener("focus", () => { activate(point); });
            group.addEventListener("mouseenter", () => { activate(point); });
        }
    }
    chart.querySelector("[data-id]")?.setAttribute("tabindex", "0");
}

/** Go to a kernel in the editor. */
function choose(point: Point): void {
    tell({ type: "open", path: point.path, line: point.line, name: point.name });
}

/** Show which kernel is meant, in the drawing and in the list. */
function activate(point: Point): void {
    active = point.id;
    follow();
}

function follow(): void {
    for (const element of app.querySelectorAll<HTMLElement | SVGElement>("[data-id]")) {
        element.classList.toggle("active", element.dataset["id"] === active);
    }
}

/** Arrow keys go from point to point, by intensity; Enter and blank choose one. */
function onKey(event: KeyboardEvent): void {
    const group = (event.target as Element).closest<SVGGElement>("g[data-id]");
    if (!group) {
        return;
    }
    const groups = [...app.querySelectorAll<SVGGElement>("g[data-id]")].sort(
        (a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x,
    );
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
        const next = groups[(groups.indexOf(group) + step + groups.length) % groups.length];
        groups.forEach((each) => { each.setAttribute("tabindex", each === next ? "0" : "-1"); });
        next.focus();
        event.preventDefault();
    } else if (event.key === "Enter" || event.key === " ") {
        group.dispatchEvent(new MouseEvent("click"));
        event.preventDefault();
    }
}

const actions = {
    selectGpu: () => { tell({ type: "selectGpu" }); },
    scope: (scope: Draw["scope"]) => {
        editor.setState({ scope, hidden: [...hidden] });
        tell({ type: "scope", scope });
    },
    toggle: (precision: Precision) => {
        hidden = new Set(hidden.has(precision) ? [...hidden].filter((p) => p !== precision) : [...hidden, precision]);
        editor.setState({ ...(drawn ? { scope: drawn.scope } : {}), hidden: [...hidden] });
        drawAll();
    },
    export: async (format: "svg" | "png") => {
        if (drawn?.report) {
            const data = await drawing(format, drawn.report.gpu, points, shownPrecisions());
            tell({ type: "export", format, data });
        }
    },
};

function mark(path: string, line: number): void {
    const above = points.filter((point) => point.path === path && point.line <= line);
    active = above.length ? above.reduce((a, b) => (a.line > b.line ? a : b)).id : undefined;
    follow();
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
    if (data.type === "draw") {
        drawn = data;
        drawAll();
    } else {
        mark(data.path, data.line);
    }
});
window.addEventListener("resize", drawAll);
document.addEventListener("keydown", onKey);
installStyle();
tell({ type: "ready" });
