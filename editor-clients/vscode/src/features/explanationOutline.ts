/** The parts of an explanation's text, and which of its lines are about which line of the source. Knows no editor. */

/** A part that can be folded: its heading and its last line, from 0. */
export interface Part {
    start: number;
    end: number;
    /** The number of the step whose heading it is; null for a part inside of one. */
    step: number | null;
}

const HEADING = /^ {2}(\d) {2}\S/;
/** `  19:  read`, `  18  loop`: a line of the source, in the steps that go by lines. */
const OF_LINE = /^ +(\d+)(?::| {2})/;
const STEPS_BY_LINE = new Set([3, 4, 5]);
const REGIONS = 3;
/** A region's line number, and the indentation of its name. */
const REGION = /^ +\d+ {2,}(?=\S)/;
/** Lines inside of a step are indented by so much. */
const LEAST_INSIDE = 3;
/** Steps that are folded at first: what comes about on the way. */
export const FOLDED_AT_FIRST: readonly number[] = [1, 2, 4, 5, 8];

/** Steps by their headings, and inside of them what is indented more than a line above it. */
export function partsOf(text: string): Part[] {
    const lines = text.split("\n");
    const indents = indentsOf(lines);
    return lines.flatMap((line, start) => {
        const heading = HEADING.exec(line);
        const end = heading ? endOfStep(lines, start) : endOfIndented(indents, start);
        return end > start ? [{ start, end, step: heading ? Number(heading[1]) : null }] : [];
    });
}

/** How far each line is indented; null without text. A region by its name, and what is said of it without an end. */
function indentsOf(lines: readonly string[]): (number | null)[] {
    let step = 0;
    let region = 0;
    return lines.map((line) => {
        const heading = HEADING.exec(line);
        step = heading ? Number(heading[1]) : step;
        const plain = line.trim() ? line.length - line.trimStart().length : null;
        if (heading || plain === null || step !== REGIONS || plain < LEAST_INSIDE) {
            return plain;
        }
        const name = REGION.exec(line)?.[0].length;
        region = name ?? region;
        return name ?? (region ? Infinity : null);
    });
}

function endOfStep(lines: readonly string[], start: number): number {
    const next = lines.findIndex((line, at) => at > start && (HEADING.test(line) || /^ {0,2}\S/.test(line)));
    return lastWithText(lines, next < 0 ? lines.length : next);
}

function endOfIndented(indents: readonly (number | null)[], start: number): number {
    const own = indents[start] ?? null;
    if (own === null || own < LEAST_INSIDE) {
        return start;
    }
    let end = start;
    for (let at = start + 1; at < indents.length && (indents[at] ?? -1) > own; at++) {
        end = at;
    }
    return end;
}

function lastWithText(lines: readonly string[], before: number): number {
    let at = before - 1;
    while (at > 0 && !lines[at]?.trim()) {
        at--;
    }
    return at;
}

/** The lines of the text, from 0, that are about a line of the source, from 1. */
export function linesAbout(text: string, source: number): number[] {
    let step = 0;
    return text.split("\n").flatMap((line, at) => {
        step = Number(HEADING.exec(line)?.[1] ?? step);
        return STEPS_BY_LINE.has(step) && Number(OF_LINE.exec(line)?.[1]) === source ? [at] : [];
    });
}
