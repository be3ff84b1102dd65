/** The drawing as a PDF of one page: lines and text, in a font that every reader of PDF has. */

import {
    arrowHead,
    shape,
    type Key,
    type Label,
    type Line,
    type Mark,
    type Pixel,
    type Precision,
    type Scene,
    type Theme,
} from "../../../../server/roofline_lsp/formats/chart/roofline.js";

const POINTS = 0.75; // to a pixel
const SIZE = 11;
const ROUND = 0.5523; // how far the controls of a quarter of a circle stand, beside its radius
/** Widths of Helvetica's characters from the space to the tilde, in thousandths of its size. */
const WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 " +
    "1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 " +
    "333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
    .split(" ")
    .map(Number);
/** Characters beyond Latin-1 that the font's encoding has, and the Greek letter that looks like its sign for micro. */
const FURTHER: Partial<Record<string, number>> = { "…": 0x85, "‘": 0x91, "’": 0x92, "“": 0x93, "”": 0x94, "–": 0x96, "—": 0x97, "μ": 0xb5 };

interface Pen {
    colour: string;
    width: number;
    dashes?: string;
    round?: boolean;
    opacity?: number;
}

/** The file, a byte for each character (Latin-1). The same scene and theme are the same file. */
export function pdf(scene: Scene, theme: Theme): string {
    const paper = rgb(theme.paper, [255, 255, 255]);
    const draw = new Page(scene, theme, paper);
    const content = [
        `${POINTS} 0 0 ${-POINTS} 0 ${short(scene.height * POINTS)} cm`,
        `${draw.colour(theme.paper)} rg 0 0 ${scene.width} ${scene.height} re f`,
        ...scene.lines.flatMap((line) => draw.line(line)),
        ...scene.labels.flatMap((label) => draw.label(label)),
        ...scene.keys.flatMap((key) => draw.key(key)),
        ...scene.marks.flatMap((mark) => draw.mark(mark)),
    ].join("\n");
    const box = `[0 0 ${short(scene.width * POINTS)} ${short(scene.height * POINTS)}]`;
    return file([
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Contents 5 0 R /Resources << /Font << /F 4 0 R >> >> >>`,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]);
}

class Page {
    constructor(
        readonly scene: Scene,
        readonly theme: Theme,
        readonly paper: readonly number[],
    ) {}

    /** A colour's parts between 0 and 1; what shows through shows the paper. */
    colour(css: string, opacity = 1): string {
        return rgb(css, this.paper, opacity).map((part) => short(part / 255)).join(" ");
    }

    line({ from, to, kind }: Line, precision?: Precision): string[] {
        const pen = this.pen(kind, precision);
        const style = `${this.colour(pen.colour, pen.opacity)} RG ${pen.width} w [${pen.dashes ?? ""}] 0 d ${pen.round ? 1 : 0} J`;
        return [`${style} ${place(from)} m ${place(to)} l S`];
    }

    private pen(kind: string, precision?: Precision): Pen {
        const { theme } = this;
        const pens: Partial<Record<string, Pen>> = {
            grid: { colour: theme.grid, width: 1 },
            dram: { colour: theme.text, width: 1.75, round: true, opacity: 0.75 },
            l2: { colour: theme.muted, width: 1.25, dashes: "5 4", opacity: 0.6 },
            l1: { colour: theme.muted, width: 1.25, dashes: "1 4", round: true, opacity: 0.8 },
            leader: { colour: theme.muted, width: 0.75, opacity: 0.7 },
            joined: { colour: precision ? theme[precision] : theme.text, width: 1.25, dashes: "2 3" },
        };
        const roof = /^roof (\w+)$/.exec(kind)?.[1] as Precision | undefined;
        const words = kind.split(" ");
        const known = words.map((word) => pens[word]).find((each) => each !== undefined);
        return roof ? { colour: theme[roof], width: 1.75, round: true } : (known ?? { colour: theme.text, width: 1 });
    }

    label({ at, text, anchor, kind, turn }: Label): string[] {
        const colour = /\b(?:roof|name)\b/.test(kind) ? this.theme.text : this.theme.muted;
        const angle = ((turn ?? 0) * Math.PI) / 180;
        const [along, down] = [Math.cos(angle), Math.sin(angle)];
        const back = { start: 0, middle: 0.5, end: 1 }[anchor] * textWidth(text);
        const start = place({ x: at.x - back * along, y: at.y - back * down });
        const matrix = `${short(along)} ${short(down)} ${short(down)} ${short(-along)} ${start}`;
        return [`BT /F ${SIZE} Tf ${this.colour(colour)} rg ${matrix} Tm (${encoded(text)}) Tj ET`];
    }

    /** The shape of a precision's points, at the end of its roof. */
    key({ precision, at }: Key): string[] {
        return [`${this.colour(this.theme[precision])} rg ${outline(precision, at, 4.5)} f`];
    }

    mark({ point, at, measured, label, leader }: Mark): string[] {
        const { precision } = point;
        const own = this.colour(this.theme[precision]);
        const paper = this.colour(this.theme.paper);
        const solid = "[] 0 d 0 J";
        const found = leader ? this.line(leader) : [];
        if (measured) {
            const head = arrowHead(at, measured);
            found.push(...this.line({ from: at, to: measured, kind: "joined" }, precision));
            if (head) {
                found.push(`${own} rg ${polygon(head)} f`);
            }
            found.push(`${paper} rg ${own} RG 1.75 w ${solid} ${outline(precision, measured)} B`);
        }
        found.push(`${own} rg ${paper} RG 1.5 w ${solid} ${outline(precision, at)} B`);
        return [...found, ...(label ? this.label(label) : [])];
    }
}

/** `rgb(1, 2, 3)` or `rgba(1, 2, 3, 0.5)` on a paper, each part up to 255. */
function rgb(css: string, paper: readonly number[], opacity = 1): number[] {
    const parts = [...css.matchAll(/[\d.]+/g)].map(Number);
    const hex = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(css);
    const own = hex ? hex.slice(1).map((each) => parseInt(each, 16)) : parts.slice(0, 3);
    const shows = (hex ? 1 : (parts[3] ?? 1)) * opacity;
    return paper.map((below, at) => shows * (own[at] ?? 0) + (1 - shows) * below);
}

function short(value: number): string {
    return String(Math.round(value * 1000) / 1000 + 0);
}

function place({ x, y }: Pixel): string {
    return `${short(x)} ${short(y)}`;
}

function polygon(corners: readonly Pixel[]): string {
    return `${corners.map((corner, at) => `${place(corner)} ${at ? "l" : "m"}`).join(" ")} h`;
}

/** The outline that `shape` has for a precision. */
function outline(precision: Precision, at: Pixel, r = 5): string {
    const path = shape(precision, at, r);
    if (!path.includes("a")) {
        const numbers = [...path.matchAll(/-?[\d.]+/g)].map(Number);
        return polygon(numbers.flatMap((x, index) => (index % 2 ? [] : [{ x, y: numbers[index + 1] ?? 0 }])));
    }
    const quarter = (from: Pixel, to: Pixel) => {
        const control = (on: Pixel, other: Pixel) => ({
            x: on.x + (on.x === at.x ? (other.x - at.x) * ROUND : 0),
            y: on.y + (on.y === at.y ? (other.y - at.y) * ROUND : 0),
        });
        return `${place(control(from, to))} ${place(control(to, from))} ${place(to)} c`;
    };
    const sides = [[-r, 0], [0, -r], [r, 0], [0, r], [-r, 0]].map(([dx = 0, dy = 0]) => ({ x: at.x + dx, y: at.y + dy }));
    const [first = at] = sides;
    return `${place(first)} m ${sides.slice(1).map((side, index) => quarter(sides[index] ?? at, side)).join(" ")} h`;
}

function codes(text: string): number[] {
    return Array.from(text, (char) => {
        const code = FURTHER[char] ?? char.codePointAt(0) ?? 0;
        return code < 0x20 || (code > 0x7e && code < 0xa1 && FURTHER[char] === undefined) || code > 0xff ? 0x3f : code;
    });
}

/** As wide as a text is drawn, in pixels. */
export function textWidth(text: string): number {
    return (codes(text).reduce((sum, code) => sum + (WIDTHS[code - 0x20] ?? 556), 0) * SIZE) / 1000;
}

function encoded(text: string): string {
    return String.fromCharCode(...codes(text)).replace(/[()\\]/g, "\\$&");
}

/** The objects of a file with the table of where each begins. */
function file(objects: readonly string[]): string {
    let made = "%PDF-1.4\n";
    const begins = objects.map((object, at) => {
        const begin = made.length;
        made += `${at + 1} 0 obj\n${object}\nendobj\n`;
        return `${String(begin).padStart(10, "0")} 00000 n \n`;
    });
    const size = objects.length + 1;
    const table = `xref\n0 ${size}\n0000000000 65535 f \n${begins.join("")}`;
    return `${made}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${made.length}\n%%EOF\n`;
}
