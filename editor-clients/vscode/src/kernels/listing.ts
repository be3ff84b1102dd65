/** Kernels filtered, sorted and in groups. Nothing here knows the editor. */

import { type KernelClass, type Report, type ReportKernel } from "../protocol";

export interface WorkspaceKernel {
    kernel: ReportKernel;
    uri: string;
    /** The GPU that it was judged for. */
    gpu: string;
}

export type ClassName = KernelClass | "undecided";
export type Grouping = "class" | "file" | "none";
export type Order = "time" | "confidence" | "name";

export const CLASS_NAMES: Record<ClassName, string> = {
    CB: "Compute-bound",
    BB: "Bandwidth-bound",
    undecided: "Undecided",
};

/** What is shown. */
export interface Filter {
    classes: readonly ClassName[];
    /** Kernels that take less are left out; those of unknown time are kept. */
    leastNs: number;
}

export const EVERYTHING: Filter = { classes: ["CB", "BB", "undecided"], leastNs: 0 };

export interface Group {
    /** The class, or the file's URI; empty where there are no groups. */
    key: string;
    kernels: WorkspaceKernel[];
}

export function classOf({ kernel }: WorkspaceKernel): ClassName {
    return kernel.prediction.class ?? "undecided";
}

export function passes(each: WorkspaceKernel, filter: Filter): boolean {
    const time = each.kernel.prediction.time_ns;
    return filter.classes.includes(classOf(each)) && (time === null || time >= filter.leastNs);
}

/** The kernels that pass, in groups: classes in their order, files by their paths. */
export function grouped(kernels: readonly WorkspaceKernel[], by: Grouping, order: Order, filter: Filter): Group[] {
    const shown = kernels.filter((each) => passes(each, filter)).sort(ORDERS[order]);
    if (by === "none") {
        return shown.length ? [{ key: "", kernels: shown }] : [];
    }
    const keyOf = by === "class" ? classOf : (each: WorkspaceKernel) => each.uri;
    const found = new Map<string, WorkspaceKernel[]>();
    for (const each of shown) {
        found.set(keyOf(each), [...(found.get(keyOf(each)) ?? []), each]);
    }
    const keys = by === "class" ? Object.keys(CLASS_NAMES).filter((key) => found.has(key)) : [...found.keys()].sort();
    return keys.map((key) => ({ key, kernels: found.get(key) ?? [] }));
}

/** The longest first, the least sure first, or by name; what is not known comes last. */
const ORDERS: Record<Order, (a: WorkspaceKernel, b: WorkspaceKernel) => number> = {
    time: (a, b) => (b.kernel.prediction.time_ns ?? -1) - (a.kernel.prediction.time_ns ?? -1),
    confidence: (a, b) => (a.kernel.prediction.confidence ?? 2) - (b.kernel.prediction.confidence ?? 2),
    name: (a, b) => a.kernel.base_name.localeCompare(b.kernel.base_name),
};

const UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** `10 us`, `1.5 ms` in nanoseconds; nothing at all is 0, and null what cannot be read. */
export function nanoseconds(text: string): number | null {
    if (!text.trim()) {
        return 0;
    }
    const found = /^\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s)\s*$/.exec(text);
    return found ? Number(found[1]) * (UNITS[found[2] ?? ""] ?? 0) : null;
}

/** What is kept of a report: where kernels are and what is predicted, without launches, findings and reasons. */
export function slim(report: Report): Report {
    const files = report.files.map(({ path, kernels }) => ({
        path,
        kernels: kernels.map((kernel) => {
            const { name, base_name, qualified_name, path: own, name_range, range, prediction } = kernel;
            const numbers = Object.fromEntries(Object.entries(prediction).filter(([key]) => !BULK.includes(key)));
            const measured = "measured" in kernel ? { measured: kernel.measured } : {};
            return { name, base_name, qualified_name, path: own, name_range, range, prediction: numbers as typeof prediction, ...measured };
        }),
    }));
    return { gpu: report.gpu, files };
}

/** Parts of a prediction that no list or drawing needs. */
const BULK = ["evidence", "unknowns", "sight", "utilisation", "undecided", "time_depends_on"];

/** One report of many, each kernel where it is defined. Files of another GPU are left out. */
export function joined(reports: readonly Report[]): Report | null {
    const [first] = reports.filter((report) => report.files.some((file) => file.kernels.length > 0));
    if (!first) {
        return null;
    }
    const files = reports
        .filter((report) => report.gpu.name === first.gpu.name)
        .flatMap((report) => report.files)
        .map((file) => ({ ...file, kernels: file.kernels.filter((kernel) => kernel.path === file.path) }));
    return { gpu: first.gpu, files };
}
