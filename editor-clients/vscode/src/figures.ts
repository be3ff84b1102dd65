/** Figures as people read them. */

import { type GpuChoice } from "./protocol";

export { duration, ratioText } from "../../../server/roofline_lsp/formats/chart/roofline.js";

/** Precisions as everything else calls them, by the names that the database of GPUs has. */
export const PRECISIONS: Readonly<Record<string, string>> = {
    fp64: "DP",
    fp32: "SP",
    fp16: "HP",
    int32: "INT",
    tensor_fp16: "tensor",
};

const RIDGES: readonly [string, string][] = [
    ["fp32", "SP"],
    ["fp64", "DP"],
    ["int32", "INT"],
];

/** The GPU as people call it: `RTX 3080`. */
export function shortName(name: string): string {
    return name.replace(/^(NVIDIA |AMD |Intel )?(GeForce |Radeon |Instinct )?/, "");
}

/** Three significant digits, without an exponent. */
export function digits(value: number): string {
    return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** `SP 39.2 · DP 0.612 · INT 19.6`, in operations per byte. */
export function ridges(gpu: GpuChoice): string {
    return RIDGES.flatMap(([key, name]) => {
        const ridge = gpu.ridge[key];
        return typeof ridge === "number" ? [`${name} ${digits(ridge)}`] : [];
    }).join(" · ");
}

/** A kernel's name; of OpenMP's target regions the function that it is in. */
export function shownName(name: string): string {
    return name.replace(/^__omp_offloading_(.+)_l(\d+)$/, "target region of $1");
}

/** A confidence that does not claim certainty. */
export function percent(share: number): string {
    return `${Math.min(Math.round(share * 100), 99)}%`;
}
