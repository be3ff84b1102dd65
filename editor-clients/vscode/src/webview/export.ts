/** The drawing as a file of its own: SVG, PDF, or PNG at twice the size for sharp print. */

import {
    layout,
    render,
    stylesheet,
    type Gpu,
    type Point,
    type Precision,
} from "../../../../server/roofline_lsp/formats/chart/roofline.js";
import { pdf } from "./pdf";
import { resolvedTheme } from "./theme";

/** What the drawing can be saved as. */
export type Format = "svg" | "png" | "pdf";

const SIZE = { width: 960, height: 560 };
const PIXELS = 2;

/** The SVG's text, the PDF's bytes as characters, or the PNG as a data URL. */
export async function drawing(
    format: Format,
    gpu: Gpu,
    points: Point[],
    precisions: readonly Precision[],
): Promise<string> {
    const scene = layout({ gpu, points, ...SIZE, precisions });
    if (format === "pdf") {
        return pdf(scene, resolvedTheme());
    }
    const svg = render(scene, { style: stylesheet(resolvedTheme()) });
    return format === "svg" ? svg : toPng(svg);
}

async function toPng(svg: string): Promise<string> {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SIZE.width * PIXELS;
    canvas.height = SIZE.height * PIXELS;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
}
