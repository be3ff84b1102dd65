/** What the roofline panel's page and the extension say to each other. */

import { type Report } from "../protocol";

export type Scope = "file" | "workspace";

/** To the page: what to draw. `report` is null where there is nothing. */
export interface Draw {
    type: "draw";
    scope: Scope;
    report: Report | null;
    /** The file's name, or how many files there are. */
    title: string;
    /** Said in the place of a drawing that is not there. */
    empty: string;
    /** What is left out and why, a sentence each. */
    notes?: string[];
}

/** To the page: the kernel that the cursor is in. */
export interface Mark {
    type: "mark";
    path: string;
    line: number;
}

export type ToPage = Draw | Mark;

export type FromPage =
    | { type: "ready" }
    | { type: "open"; path: string; line: number; name: string }
    | { type: "scope"; scope: Scope }
    | { type: "selectGpu" }
    | { type: "export"; format: "svg" | "png"; data: string };
