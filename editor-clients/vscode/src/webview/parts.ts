/** The parts of the panel's page around the drawing. */

import type { Format } from "./export";
import {
    NAMES,
    attainable,
    digits,
    ratioText,
    scaled,
    shape,
    unit,
    type Gpu,
    type Point,
    type Precision,
} from "../../../../server/roofline_lsp/formats/chart/roofline.js";
import { type Draw, type Scope } from "../features/panelMessages";
import { duration, percent, shortName } from "../figures";
import { button, element } from "./elements";
import { type ClassKey, type Filter } from "./filter";

export interface Actions {
    selectGpu: () => void;
    scope: (scope: Scope) => void;
    toggle: (precision: Precision) => void;
    toggleClass: (which: ClassKey) => void;
    search: (words: string) => void;
    clearTrails: () => void;
    export: (format: Format) => unknown;
}

/** What is chosen, and how much is shown. */
export interface Shown {
    present: Precision[];
    hidden: Set<Precision>;
    filter: Filter;
    shown: number;
    all: number;
}

const CLASS_BUTTONS: readonly [ClassKey, string, string][] = [
    ["CB", "CB", "compute-bound kernels"],
    ["BB", "BB", "bandwidth-bound kernels"],
    ["none", "?", "kernels whose class is not decided"],
];

export function header(drawn: Draw, shown: Shown, actions: Actions): HTMLElement {
    const gpu = drawn.report?.gpu;
    const scopes = (["file", "workspace"] as const).map((scope) =>
        button(scope, scope === "file" ? "File" : "Workspace", `The kernels of the ${scope}`, () => { actions.scope(scope); }, drawn.scope === scope),
    );
    return element(
        "header",
        {},
        element(
            "div",
            { class: "title" },
            element("h1", {}, gpu ? button("gpu", shortName(gpu.name), `${gpu.name}, ${gpu.clock} clock. Choose another GPU`, actions.selectGpu) : "Roofline"),
            element("span", { class: "muted" }, drawn.title),
        ),
        element(
            "div",
            { class: "switches", role: "toolbar", "aria-label": "Roofline" },
            element("div", { class: "group", role: "group", "aria-label": "Precisions" }, ...precisions(shown, actions)),
            element("div", { class: "group joined", role: "group", "aria-label": "Kernels of" }, ...scopes),
            element(
                "div",
                { class: "group", role: "group", "aria-label": "Save the drawing" },
                button("svg", "SVG", "Save the drawing as SVG", () => actions.export("svg")),
                button("png", "PNG", "Save the drawing as PNG", () => actions.export("png")),
                button("pdf", "PDF", "Save the drawing as PDF", () => actions.export("pdf")),
            ),
        ),
        ...(shown.all > 1 ? [filters(shown, actions)] : []),
    );
}

function precisions({ present, hidden }: Shown, actions: Actions): HTMLElement[] {
    return present.map((precision) => {
        const isShown = !hidden.has(precision);
        const title = `${isShown ? "Hide" : "Show"} the ${NAMES[precision]} roof and its kernels`;
        const made = button(precision, NAMES[precision], title, () => { actions.toggle(precision); }, isShown);
        made.classList.add("precision", precision);
        made.prepend(symbol(precision));
        return made;
    });
}

function filters({ filter, shown, all }: Shown, actions: Actions): HTMLElement {
    const input = element("input", { type: "search", placeholder: "Filter by name or file", "aria-label": "Filter kernels by name or file", "data-key": "filter", value: filter.words }) as HTMLInputElement;
    input.addEventListener("input", () => { actions.search(input.value); });
    const classes = CLASS_BUTTONS.map(([which, text, what]) => {
        const isShown = !filter.without.includes(which);
        return button(`class ${which}`, text, `${isShown ? "Hide" : "Show"} ${what}`, () => { actions.toggleClass(which); }, isShown);
    });
    return element(
        "div",
        { class: "filters", role: "search" },
        input,
        element("div", { class: "group", role: "group", "aria-label": "Classes" }, ...classes),
        element("span", { class: "muted", role: "status" }, shown === all ? `${all} kernels` : `${shown} of ${all} kernels`),
    );
}

/** A precision's shape, as points have it. */
function symbol(precision: Precision): SVGElement {
    const make = (name: "svg" | "path", attributes: Record<string, string>) => {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        Object.entries(attributes).forEach(([key, value]) => { made.setAttribute(key, value); });
        return made;
    };
    const svg = make("svg", { viewBox: "0 0 14 14", class: `symbol ${precision}`, "aria-hidden": "true" });
    svg.append(make("path", { d: shape(precision, { x: 7, y: 7 }, 4.6) }));
    return svg;
}

/** What an edit did, the newest first. */
export function changesList(changes: readonly string[], actions: Actions): HTMLElement {
    const items = changes.length ? [element("ol", { class: "changes" }, ...changes.map((each) => element("li", {}, each)))] : [];
    const list = element("div", { role: "log", "aria-label": "Changes while typing" }, ...items);
    return changes.length
        ? element("section", { class: "trail" }, element("h2", {}, "While typing", button("clear", "Clear", "Forget where points stood", actions.clearTrails)), list)
        : list;
}

/** What is not shown and why. */
export function notesList(notes: readonly string[]): HTMLElement {
    return element("div", { class: "notes muted", role: "status" }, ...notes.map((note) => element("p", {}, note)));
}

export function emptyPage(text: string): HTMLElement {
    return element("p", { class: "empty" }, text);
}

/** What a reader of the screen says of a point, and what its tip shows. */
export function describe(point: Point, gpu: Gpu): string {
    const { intensity, performance } = point.predicted;
    const parts = [
        `${point.name}: ${className(point)}`,
        `${NAMES[point.precision]} ${digits(intensity)} ${unit(point.precision)}/B (${place(point, gpu)})`,
        `${scaled(performance, `${unit(point.precision)}/s`)}, ${ofRoof(point, gpu)} of the roof`,
    ];
    if (point.time_ns) {
        parts.push(duration(point.time_ns));
    }
    if (point.measured) {
        parts.push(`measured ${scaled(point.measured.performance, `${unit(point.precision)}/s`)}`);
    }
    return parts.join("\n");
}

function className(point: Point): string {
    const name = point.class ? { CB: "compute-bound", BB: "bandwidth-bound" }[point.class] : "class unknown";
    return point.confidence === null ? name : `${name}, ${percent(point.confidence)} sure`;
}

/** `4.6× above the ridge`, `at the ridge`. */
function place(point: Point, gpu: Gpu): string {
    const ridge = gpu.ridge[point.precision];
    if (!ridge) {
        return "ridge unknown";
    }
    const ratio = point.predicted.intensity / ridge;
    if (1 / 1.02 < ratio && ratio < 1.02) {
        return "at the ridge";
    }
    return `${ratioText(Math.max(ratio, 1 / ratio))}× ${ratio >= 1 ? "above" : "below"} the ridge`;
}

function ofRoof(point: Point, gpu: Gpu): string {
    return percent(point.predicted.performance / attainable(gpu, point.precision, point.predicted.intensity));
}

/** Columns by the class that hides them in a narrow panel. */
const COLUMNS: readonly [string, string][] = [
    ["Kernel", "name"],
    ["Class", ""],
    ["Time", ""],
    ["Of the roof", "third"],
    ["Intensity", "second"],
    ["From the ridge", "first"],
];

/** The kernels as a table, the longest first. */
export function list(
    points: Point[],
    gpu: Gpu,
    scope: Scope,
    choose: (point: Point) => void,
    activate: (point: Point) => void,
): HTMLElement {
    const sorted = [...points].sort((a, b) => (b.time_ns ?? 0) - (a.time_ns ?? 0));
    const rows = sorted.map((point, at) => {
        const file = point.path.split(/[/\\]/).at(-1) ?? "";
        const name = button(`row ${point.id}`, point.name, `Go to ${point.name}, ${file} line ${point.line}`, () => { choose(point); });
        name.setAttribute("tabindex", at === 0 ? "0" : "-1");
        name.setAttribute("aria-label", describe(point, gpu));
        const cells = [
            point.class ? `${point.class} ${point.confidence === null ? "" : percent(point.confidence)}` : "unknown",
            point.time_ns ? duration(point.time_ns) : "unknown",
            ofRoof(point, gpu),
            `${digits(point.predicted.intensity)} ${unit(point.precision)}/B`,
            place(point, gpu).replace(/(?<=above|below) the ridge$/, ""),
        ];
        const row = element(
            "tr",
            { "data-id": point.id },
            element("th", { scope: "row", class: "name" }, element("div", {}, symbol(point.precision), name, scope === "workspace" ? element("span", { class: "muted" }, file) : "")),
            ...cells.map((text, column) => element("td", { class: COLUMNS[column + 1]?.[1] ?? "" }, text)),
        );
        row.addEventListener("mouseenter", () => { activate(point); });
        name.addEventListener("focus", () => { activate(point); });
        return row;
    });
    return element(
        "table",
        { "aria-label": "Kernels, the longest first", class: scope },
        element("thead", {}, element("tr", {}, ...COLUMNS.map(([head, hides]) => element("th", { scope: "col", class: hides }, head)))),
        element("tbody", {}, ...rows),
    );
}
