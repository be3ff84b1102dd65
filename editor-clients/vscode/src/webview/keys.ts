/** The page by keyboard: arrows go from point to point and from row to row, Home and End to the ends, Enter chooses. */

const STEPS: Partial<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

export function onKey(event: KeyboardEvent, app: HTMLElement): void {
    const target = event.target as Element;
    const point = target.closest<SVGGElement>("g[data-id]");
    const row = target.closest<HTMLElement>("tbody button");
    const step = STEPS[event.key];
    if (step !== undefined && point) {
        const points = [...app.querySelectorAll<SVGGElement>("g[data-id]")];
        points.sort((a, b) => middle(a) - middle(b));
        go(points, point, step);
        event.preventDefault();
    } else if (step !== undefined && row && event.key !== "ArrowLeft" && event.key !== "ArrowRight") {
        go([...app.querySelectorAll<HTMLElement>("tbody button")], row, step);
        event.preventDefault();
    } else if (point && (event.key === "Enter" || event.key === " ")) {
        point.dispatchEvent(new MouseEvent("click"));
        event.preventDefault();
    }
}

/** By the point itself: a name at its side would move the middle of the whole. */
function middle(group: SVGGElement): number {
    const { x, width } = (group.querySelector(".dot") ?? group).getBoundingClientRect();
    return x + width / 2;
}

/** Give the focus to the next of some elements, the only one that the tabulator key reaches. */
function go<T extends HTMLElement | SVGElement>(all: readonly T[], from: T, step: number): void {
    const at = all.indexOf(from) + step;
    const next = Number.isFinite(at) ? all[(at + all.length) % all.length] : all.at(step > 0 ? -1 : 0);
    all.forEach((each) => { each.setAttribute("tabindex", each === next ? "0" : "-1"); });
    next?.focus();
}
