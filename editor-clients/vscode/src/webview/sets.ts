/** The argument sets above the drawing: which one is used, and a form to add, change and take one away. */

import { type ArgumentSet, type FieldProblem, type SettingsProfile, type SettingsProfiles } from "../protocol";
import { button, element } from "./elements";

/** What a person is writing. `profile` is the set's present name, null for a new one. */
export interface Draft {
    profile: string | null;
    set: ArgumentSet;
    problem?: FieldProblem;
}

export interface SetActions {
    choose: (name: string | null) => void;
    /** Open the form, or close it. */
    draft: (draft: Draft | undefined) => void;
    save: (profile: string | null, becomes: ArgumentSet | null) => void;
}

interface Field {
    key: "name" | "args" | "sizes";
    label: string;
    hint: string;
    lines: number;
}

const FIELDS: readonly Field[] = [
    { key: "name", label: "Name", hint: "n = 100 M", lines: 1 },
    { key: "args", label: "Arguments", hint: "100000000 10", lines: 1 },
    { key: "sizes", label: "Sizes", hint: "n = 4096\nsaxpy: n = 64Mi, block = 256", lines: 3 },
];

export function emptyDraft(): Draft {
    return { profile: null, set: { name: "", args: "", sizes: "" } };
}

export function draftOf({ name, args, sizes }: SettingsProfile): Draft {
    return { profile: name, set: { name, args, sizes } };
}

/** The row of sets, with the form below it where one is being written. */
export function setsRow({ current, profiles }: SettingsProfiles, draft: Draft | undefined, actions: SetActions): HTMLElement {
    const now = profiles.find((each) => each.name === current);
    const choices = profiles.map(({ name, sets }) => button(`set ${name}`, name, sets || "sets nothing", () => { actions.choose(name); }, name === current));
    const none = button("set", "none", "Sizes as the source and the settings have them", () => { actions.choose(null); }, current === null);
    const tools = [button("add set", "Add...", "Add an argument set to the settings file", () => { actions.draft(emptyDraft()); })];
    if (now?.editable) {
        tools.unshift(button("edit set", "Edit...", `Change, rename or delete ${now.name}`, () => { actions.draft(draftOf(now)); }));
    }
    return element(
        "section",
        { class: "sets", "aria-label": "Argument sets" },
        element(
            "div",
            { class: "filters" },
            element("span", { class: "muted", id: "sets" }, "Arguments"),
            ...(profiles.length ? [element("div", { class: "group switches", role: "group", "aria-labelledby": "sets" }, none, ...choices)] : []),
            element("div", { class: "group" }, ...tools),
        ),
        ...(draft ? [form(draft, actions)] : []),
    );
}

function form(draft: Draft, actions: SetActions): HTMLElement {
    const { profile, set, problem } = draft;
    const save = () => { actions.save(profile, set); };
    const buttons = [
        button("save set", "Save", "Write the set into the settings file", save),
        button("cancel set", "Cancel", "Leave the settings file as it is", () => { actions.draft(undefined); }),
    ];
    buttons[0]?.classList.add("primary");
    if (profile !== null) {
        buttons.push(button("delete set", "Delete", `Take ${profile} out of the settings file`, () => { actions.save(profile, null); }));
    }
    const made = element(
        "div",
        { class: "form", role: "form", "aria-label": profile === null ? "A new argument set" : `Argument set ${profile}` },
        ...FIELDS.flatMap((field) => labelled(field, set, problem)),
        element("div", { class: "group" }, ...buttons),
        element("p", { class: "problem", role: "alert", id: "set-problem" }, problem ? sentence(problem.message) : ""),
    );
    made.addEventListener("keydown", (event) => {
        if (event.key === "Escape") {
            actions.draft(undefined);
        } else if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
            save();
        }
    });
    return made;
}

/** A field with its label; what is typed goes into the draft, so that a new drawing keeps it. */
function labelled({ key, label, hint, lines }: Field, set: ArgumentSet, problem: FieldProblem | undefined): HTMLElement[] {
    const id = `set-${key}`;
    const wrong = problem?.field === key;
    const invalid: Record<string, string> = wrong ? { "aria-invalid": "true", "aria-describedby": "set-problem" } : {};
    const attributes = { id, "data-key": id, placeholder: hint, spellcheck: "false", ...invalid };
    const input = (lines > 1 ? element("textarea", { ...attributes, rows: String(lines) }) : element("input", { ...attributes, type: "text" })) as HTMLInputElement | HTMLTextAreaElement;
    input.value = set[key];
    input.addEventListener("input", () => { set[key] = input.value; });
    return [element("label", { for: id }, label), input];
}

function sentence(text: string): string {
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}`;
}
