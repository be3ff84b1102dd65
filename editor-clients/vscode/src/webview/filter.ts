/** Which points are shown. Nothing here knows the page. */

import { type Point } from "../../../../server/roofline_lsp/formats/chart/roofline.js";

export type ClassKey = "CB" | "BB" | "none";

export interface Filter {
    /** Words that a kernel's name or file must have. */
    words: string;
    /** Classes that are left out. */
    without: readonly ClassKey[];
}

export const ALL: Filter = { words: "", without: [] };

export function passing(points: readonly Point[], { words, without }: Filter): Point[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    return points.filter((point) => {
        const text = `${point.name} ${point.path.split(/[/\\]/).at(-1) ?? ""}`.toLowerCase();
        return wanted.every((word) => text.includes(word)) && !without.includes(point.class ?? "none");
    });
}
