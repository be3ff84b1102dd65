/** What the roofline panel's page and the extension say to each other. */

import { type ArgumentSet, type FieldProblem, type Report, type SettingsProfiles } from "../protocol";

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
    /** The argument sets to choose from. */
    sets?: SettingsProfiles;
}

/** To the page: the kernel that the cursor is in. */
export interface Mark {
    type: "mark";
    path: string;
    line: number;
}

/** To the page: show the form of an argument set, the chosen one or a new one. */
export interface EditSet {
    type: "editSet";
}

/** To the page: the settings file was changed, or what is wrong with what was written. */
export interface SetSaved {
    type: "setSaved";
    problem: FieldProblem | null;
}

export type ToPage = Draw | Mark | EditSet | SetSaved;

export type FromPage =
    | { type: "ready" }
    | { type: "open"; path: string; line: number; name: string }
    | { type: "scope"; scope: Scope }
    | { type: "selectGpu" }
    | { type: "chooseSet"; name: string | null }
    | { type: "saveSet"; profile: string | null; becomes: ArgumentSet | null }
    | { type: "export"; format: "svg" | "png" | "pdf"; data: string };
