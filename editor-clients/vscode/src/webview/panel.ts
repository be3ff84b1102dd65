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
import { type FieldProblem } from "../protocol";
import { drawing, type Format } from "./export";
import { ALL, passing, type ClassKey, type Filter } from "./filter";
import { onKey } from "./keys";
import { changesList, describe, emptyPage, header, list, notesList, type Actions } from "./parts";
import { draftOf, emptyDraft, setsRow, type Draft, type SetActions } from "./sets";
import { installStyle } from "./theme";
import { Tip } from "./tip";
import { Trails } from "./trails";

interface Saved {
    scope?: Draw["scope"];
    hidden?: Precision[];
    filter?: Filter;
}

const editor = acquireVsCodeApi<Saved>();
const app = document.getElementById("app") as HTMLElement;
const tip = new Tip();
const trails = new Trails();
let drawn: Draw | undefined;
/** All kernels, and those that pass the filter. */
let all: Point[] = [];
let points: Point[] = [];
let hidden = new Set<Precision>(editor.getState()?.hidden ?? []);
let filter: Filter = editor.getState()?.filter ?? ALL;
let active: string | undefined;
let draft: Draft | undefined;

function tell(message: FromPage): void {
    editor.postMessage(message);
}

function save(): void {
    editor.setState({ ...(drawn ? { scope: drawn.scope } : {}), hidden: [...hidden], filter });
}

/** The precisions that some kernel is judged by, and single precision, less those switched off. */
function present(): Precision[] {
    return PRECISIONS.filter((p) => p === "sp" || all.some((point) => point.precision === p));
}

function shownPrecisions(): Precision[] {
    return present().filter((p) => !hidden.has(p));
}

function take(message: Draw): void {
    drawn = message;
    all = message.report ? pointsOf(message.report) : [];
    trails.take(all, [message.scope, message.title, message.report?.gpu.name, message.report?.gpu.clock, message.sets?.current].join("\n"));
    drawAll();
}

function drawAll(): void {
    if (!drawn) {
        return;
    }
    const report = drawn.report;
    points = passing(all, filter);
    const focused = focusOf();
    tip.hide();
    app.replaceChildren(header(drawn, { present: present(), hidden, filter, shown: points.length, all: all.length }, actions));
    if (drawn.sets) {
        app.append(setsRow(drawn.sets, draft, setActions));
    }
    if (!report || all.length === 0) {
        app.append(emptyPage(drawn.empty));
    } else {
        const chart = document.createElement("div");
        chart.className = "chart";
        app.append(chart, list(points, report.gpu, drawn.scope, choose, activate));
        drawChart(chart, report.gpu);
        follow();
    }
    app.append(changesList(trails.changes, actions), notesList(drawn.notes ?? []));
    focused();
}

/** What puts the focus back where it was: a drawing makes all elements anew. */
function focusOf(): () => void {
    const element = document.activeElement;
    const [key, id] = [element?.getAttribute("data-key"), element?.getAttribute("data-id")];
    const range = isField(element) ? element.selectionStart : null;
    return () => {
        const found = key
            ? app.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)
            : id ? app.querySelector<SVGElement>(`g[data-id="${CSS.escape(id)}"]`) : null;
        found?.focus({ preventScroll: true });
        if (isField(found) && range !== null) {
            found.setSelectionRange(range, range);
        }
    };
}

function isField(element: unknown): element is HTMLInputElement | HTMLTextAreaElement {
    return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

function size(chart: HTMLElement): { width: number; height: number } {
    const width = Math.max(chart.clientWidth, 320);
    return { width, height: Math.round(Math.min(Math.max(width * 0.62, 260), Math.max(window.innerHeight * 0.58, 260))) };
}

function drawChart(chart: HTMLElement, gpu: Gpu): void {
    const scene = layout({ gpu, points, ...size(chart), precisions: shownPrecisions(), trails: trails.of(points) });
    const text = render(scene, { interactive: true, titles: false, describe: (point) => describe(point, gpu) });
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    chart.replaceChildren(document.importNode(svg, true));
    for (const group of chart.querySelectorAll<SVGGElement>("[data-id]")) {
        const point = points.find((each) => each.id === group.dataset["id"]);
        if (point) {
            const show = () => {
                activate(point);
                tip.show(group.querySelector(".dot") ?? group, describe(point, gpu));
            };
            group.addEventListener("click", () => { choose(point); });
            group.addEventListener("focus", show);
            group.addEventListener("mouseenter", show);
            group.addEventListener("blur", () => { tip.hide(); });
            group.addEventListener("mouseleave", () => { tip.hide(); });
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

const actions: Actions = {
    selectGpu: () => { tell({ type: "selectGpu" }); },
    scope: (scope: Draw["scope"]) => {
        editor.setState({ scope, hidden: [...hidden], filter });
        tell({ type: "scope", scope });
    },
    toggle: (precision: Precision) => {
        hidden = new Set(hidden.has(precision) ? [...hidden].filter((p) => p !== precision) : [...hidden, precision]);
        save();
        drawAll();
    },
    toggleClass: (which: ClassKey) => {
        const { without } = filter;
        filter = { ...filter, without: without.includes(which) ? without.filter((each) => each !== which) : [...without, which] };
        save();
        drawAll();
    },
    search: (words: string) => {
        filter = { ...filter, words };
        save();
        drawAll();
    },
    clearTrails: () => {
        trails.clear();
        drawAll();
    },
    export: async (format: Format) => {
        if (drawn?.report) {
            const data = await drawing(format, drawn.report.gpu, points, shownPrecisions());
            tell({ type: "export", format, data });
        }
    },
};

const setActions: SetActions = {
    choose: (name) => { tell({ type: "chooseSet", name }); },
    draft: write,
    save: (profile, becomes) => { tell({ type: "saveSet", profile, becomes }); },
};

/** Show the form with a draft, at the field that is wrong or the first one; without a draft, no form. */
function write(wanted: Draft | undefined): void {
    draft = wanted;
    drawAll();
    const field = draft?.problem?.field ?? "name";
    const key = draft ? `set-${field === "file" ? "name" : field}` : "add set";
    app.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus();
}

function writeChosen(): void {
    const chosen = drawn?.sets?.profiles.find((each) => each.name === drawn?.sets?.current);
    write(chosen?.editable ? draftOf(chosen) : emptyDraft());
}

function saved(problem: FieldProblem | null): void {
    if (draft) {
        write(problem ? { ...draft, problem } : undefined);
    }
}

function mark(path: string, line: number): void {
    const above = points.filter((point) => point.path === path && point.line <= line);
    active = above.length ? above.reduce((a, b) => (a.line > b.line ? a : b)).id : undefined;
    follow();
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
    switch (data.type) {
        case "draw": take(data); break;
        case "mark": mark(data.path, data.line); break;
        case "editSet": writeChosen(); break;
        case "setSaved": saved(data.problem); break;
    }
});
window.addEventListener("resize", drawAll);
document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
        tip.hide();
    }
    onKey(event, app);
});
installStyle();
tell({ type: "ready" });
