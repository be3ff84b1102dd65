/** Where points stood before, and what has changed, while a person types. Nothing here knows the page. */

import { type Place, type Point } from "../../../../server/roofline_lsp/formats/chart/roofline.js";
import { duration } from "../figures";

const LONGEST = 8;
const MOST_CHANGES = 5;
/** A point that moves by a smaller share has not moved. */
const LEAST_MOVE = 0.005;

/** A kernel by what stays the same while lines are added above it. */
function keyOf(point: Point): string {
    return `${point.path}\n${point.name}`;
}

export class Trails {
    private last = new Map<string, Point>();
    private places = new Map<string, Place[]>();
    private subject = "";
    /** The newest first: `horner: 1.09 ms -> 0.99 ms, now bandwidth-bound`. */
    changes: string[] = [];

    /** Take the points of a new drawing. Of another subject, such as another GPU or file, all begins anew. */
    take(points: readonly Point[], subject: string): void {
        if (subject !== this.subject) {
            this.clear();
            this.last.clear();
            this.subject = subject;
        }
        for (const point of points) {
            const key = keyOf(point);
            const before = this.last.get(key);
            if (before && (moved(before.predicted, point.predicted) || before.class !== point.class || changed(before.time_ns, point.time_ns))) {
                this.places.set(key, [...(this.places.get(key) ?? []), before.predicted].slice(-LONGEST));
                this.changes = [told(before, point), ...this.changes].slice(0, MOST_CHANGES);
            }
            this.last.set(key, point);
        }
    }

    /** By the points' ids, as a drawing wants them. */
    of(points: readonly Point[]): Map<string, Place[]> {
        return new Map(points.flatMap((point) => {
            const places = this.places.get(keyOf(point));
            return places ? [[point.id, places] as const] : [];
        }));
    }

    clear(): void {
        this.places.clear();
        this.changes = [];
    }
}

function moved(a: Place, b: Place): boolean {
    return changed(a.intensity, b.intensity) || changed(a.performance, b.performance);
}

function changed(a: number | null, b: number | null): boolean {
    return a === null || b === null ? a !== b : Math.abs(a - b) > LEAST_MOVE * Math.max(Math.abs(a), Math.abs(b));
}

function told(before: Point, now: Point): string {
    const time = (point: Point) => (point.time_ns ? duration(point.time_ns) : "unknown");
    const parts = [`${time(before)} -> ${time(now)}`];
    if (before.class !== now.class) {
        parts.push(`now ${now.class ? { CB: "compute-bound", BB: "bandwidth-bound" }[now.class] : "undecided"}`);
    }
    return `${now.name}: ${parts.join(", ")}`;
}
