/** The parts of the panel's page around the drawing. */

import {
    NAMES,
    attainable,
    digits,
    scaled,
    unit,
    type Gpu,
    type Point,
    type Precision,
} from "../../../../server/roofline_lsp/formats/chart/roofline.js";
import { type Draw, type Scope } from "../features/panelMessages";
import { duration, percent, shortName } from "../figures";

export interface Actions {
    selectGpu: () => void;
    scope: (scope: Scope) => void;
    toggle: (precision: Precision) => void;
    export: (format: "svg" | "png") => unknown;
}

type Child = Node | string;

function element(tag: string, attributes: Record<string, string>, ...children: Child[]): HTMLElement {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
}

/** A button that keeps its focus when the page is drawn again: `key` tells it. */
function button(key: string, text: string, title: string, run: () => unknown, pressed?: boolean): HTMLElement {
    const made = element("button", { type: "button", title, "data-key": key }, text);
    if (pressed !== undefined) {
        made.setAttribute("aria-pressed", String(pressed));
    }
    made.addEventListener("click", run);
    return made;
}

export function header(drawn: Draw, present: Precision[], hidden: Set<Precision>, actions: Actions): HTMLElement {
    const gpu = drawn.report?.gpu;
    const precisions = present.map((precision) => {
        const what = `the ${NAMES[precision]} roof and its kernels`;
        const shown = !hidden.has(precision);
        const made = button(precision, NAMES[precision], `${shown ? "Hide" : "Show"} ${what}`, () => { actions.toggle(precision); }, shown);
        made.classList.add("precision", precision);
        return made;
    });
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
            element("div", { class: "group" }, ...precisions),
            element("div", { class: "group joined" }, ...scopes),
            element(
                "div",
                { class: "group" },
                button("svg", "SVG", "Save the drawing as SVG", () => actions.export("svg")),
                button("png", "PNG", "Save the drawing as PNG", () => actions.export("png")),
            ),
        ),
    );
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

/** `4.6× above the ridge`. */
function place(point: Point, gpu: Gpu): string {
    const ridge = gpu.ridge[point.precision];
    if (!ridge) {
        return "ridge unknown";
    }
    const ratio = point.predicted.intensity / ridge;
    const factor = Number(Math.max(ratio, 1 / ratio).toPrecision(2)).toLocaleString("en");
    return `${factor}× ${ratio >= 1 ? "above" : "below"} the ridge`;
}

function ofRoof(point: Point, gpu: Gpu): string {
    return percent(point.predicted.performance / attainable(gpu, point.precision, point.predicted.intensity));
}

/** The kernels as a table, the longest first. */
export function list(
    points: Point[],
    gpu: Gpu,
    scope: Scope,
    choose: (point: Point) => void,
    activate: (point: Point) => void,
): HTMLElement {
    const heads = ["Kernel", "Class", "Intensity", "From the ridge", "Of the roof", "Time"];
    const rows = [...points].sort((a, b) => (b.time_ns ?? 0) - (a.time_ns ?? 0)).map((point) => {
        const name = button(`row ${point.id}`, point.name, `Go to ${point.name}`, () => { choose(point); });
        const file = scope === "workspace" ? element("span", { class: "muted" }, ` ${point.path.split(/[/\\]/).at(-1) ?? ""}`) : "";
        const row = element(
            "tr",
            { "data-id": point.id, class: point.precision },
            element("th", { scope: "row" }, element("i", { class: "dot" }), name, file),
            element("td", {}, point.class ? `${point.class} ${point.confidence === null ? "" : percent(point.confidence)}` : "unknown"),
            element("td", {}, `${digits(point.predicted.intensity)} ${unit(point.precision)}/B`),
            element("td", {}, place(point, gpu).replace(" the ridge", "")),
            element("td", {}, ofRoof(point, gpu)),
            element("td", {}, point.time_ns ? duration(point.time_ns) : "unknown"),
        );
        row.addEventListener("mouseenter", () => { activate(point); });
        name.addEventListener("focus", () => { activate(point); });
        return row;
    });
    return element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, ...rows),
    );
}
