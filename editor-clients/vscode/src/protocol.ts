/** What the server offers beside the language server protocol: the requests named `roofline/...`. */

import { NotificationType, RequestType } from "vscode-languageclient/node";

export type Precision = "sp" | "dp" | "hp" | "int" | "tensor";
export type KernelClass = "CB" | "BB";

/** The GPU of a report; peaks in 10^9 operations a second, ridges in operations per byte. */
export interface ReportGpu {
    name: string;
    clock: string;
    clock_mhz: number;
    bandwidth_gbs: number;
    l2_bandwidth_gbs?: number | null;
    peaks: Record<Precision, number | null>;
    ridge: Record<Precision, number | null>;
}

export interface ReportKernel {
    name: string;
    base_name: string;
    qualified_name: string;
    path: string;
    name_range: { line: number; column: number };
    range: { line: number; end_line: number };
    prediction: {
        class: KernelClass | null;
        confidence: number | null;
        time_ns: number | null;
        time_limit: { resource: string; time_ns: number } | null;
    };
}

export interface Report {
    gpu: ReportGpu;
    files: { path: string; kernels: ReportKernel[] }[];
}

/** A GPU to choose; `ridge` in operations per byte by `fp64`, `fp32`, `fp16`, `int32`. */
export interface GpuChoice {
    name: string;
    aliases: string[];
    vendor: string;
    architecture: string;
    memory_bandwidth_gbs: number;
    ridge: Record<string, number | null>;
}

export interface GpuChoices {
    current: string | null;
    clock: string;
    /** What a person should know of the current one; servers before 0.2 do not say. */
    note?: string | null;
    /** The names of the GPUs of the server's machine, null where they were not looked for. */
    machine?: string[] | null;
    gpus: GpuChoice[];
}

/** A line's share, 0 to 1, of what decides its kernel's class. Lines count from 0. */
export interface LineHeat {
    line: number;
    share: number;
    resource: string;
    kernel: string;
}

/** How the class of a kernel comes about, as text with columns. */
export interface Explanation {
    title: string;
    text: string;
}

/** A side of a comparison: a document, or a text in its place; `position` is in the kernel that is meant. */
export interface Variant {
    textDocument: { uri: string };
    position?: { line: number; character: number };
    text?: string;
    label?: string;
}

/** Variants side by side as Markdown, escaped; or why they cannot be compared. */
export interface Comparison {
    title?: string;
    markdown?: string;
    problem?: string;
}

/** The files of the workspace that hold kernels, as `--check` finds them, and what could not be read. */
export interface KernelFiles {
    files: string[];
    problems: string[];
}

/** An argument set as a person writes it: `sizes` has lines such as `saxpy: n = 4096`, or `n = 4096` for all kernels. */
export interface ArgumentSet {
    name: string;
    args: string;
    sizes: string;
}

/** Of a profile of the settings; `sets` says on a line what it sets, `editable` whether the project's file alone has it. */
export interface SettingsProfile extends ArgumentSet {
    sets: string;
    editable: boolean;
}

/** The named settings to switch between. */
export interface SettingsProfiles {
    current: string | null;
    profiles: SettingsProfile[];
}

/** What is wrong with a field of a form. */
export interface FieldProblem {
    field: "name" | "args" | "sizes" | "file";
    message: string;
}

/** The settings file with a profile changed, or why it cannot be. */
type EditedSettings = { problem: FieldProblem } | { problem?: undefined; uri: string; exists: boolean; text: string };

interface OfDocument {
    textDocument: { uri: string };
}

export const reportRequest = new RequestType<OfDocument, Report | null, void>("roofline/report");
export const gpusRequest = new RequestType<Partial<OfDocument> & { only?: "current" }, GpuChoices, void>("roofline/gpus");
export const settingsProfilesRequest = new RequestType<Partial<OfDocument>, SettingsProfiles, void>("roofline/settingsProfiles");
export const editSettingsProfileRequest = new RequestType<
    Partial<OfDocument> & { profile: string | null; becomes: ArgumentSet | null },
    EditedSettings,
    void
>("roofline/editSettingsProfile");
export const kernelFilesRequest = new RequestType<Record<string, never>, KernelFiles, void>("roofline/kernelFiles");
export const lineHeatRequest = new RequestType<OfDocument, LineHeat[], void>("roofline/lineHeat");
export const compareRequest = new RequestType<OfDocument & { gpus: string[] }, (Report | null)[], void>(
    "roofline/compareGpus",
);
export const compareVariantsRequest = new RequestType<{ variants: Variant[] }, Comparison, void>("roofline/compare");
export const explainRequest = new RequestType<
    OfDocument & { position: { line: number; character: number } },
    Explanation | null,
    void
>("roofline/explain");
export const analysed = new NotificationType<{ uri: string; version: number }>("roofline/analysed");

/** Where a kernel stands: the arguments of every command on a kernel. */
export interface At {
    uri: string;
    line: number;
    character: number;
}

/** Commands of this extension that the server may put behind lenses and code actions. */
export const CLIENT_COMMANDS = [
    "roofline.showDetails",
    "roofline.showRoofline",
    "roofline.compareGpus",
    "roofline.explainKernel",
    "roofline.showPrompt",
    "roofline.setSizes",
];
