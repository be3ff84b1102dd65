/** The colours of the drawing: those of the editor's theme, by name here and resolved in a file. */

import { stylesheet, type Theme } from "../../../../server/roofline_lsp/formats/chart/roofline.js";

/** CSS variables of the theme. The second is for themes that lack the first. */
const VARIABLES: Record<keyof Theme, string> = {
    sp: "var(--roofline-sp)",
    dp: "var(--roofline-dp)",
    hp: "var(--roofline-hp)",
    int: "var(--roofline-int)",
    tensor: "var(--roofline-tensor)",
    text: "var(--vscode-editor-foreground)",
    muted: "var(--vscode-descriptionForeground)",
    grid: "var(--roofline-grid)",
    paper: "var(--vscode-editor-background)",
    focus: "var(--vscode-focusBorder)",
    font: "var(--vscode-font-family)",
};

/** Of this script, and so of its style sheet; known only while the script is being run. */
const NONCE = (document.currentScript as HTMLScriptElement | null)?.nonce ?? "";

/** Put the drawing's style sheet into the page. */
export function installStyle(): void {
    const style = document.createElement("style");
    style.nonce = NONCE;
    style.textContent = stylesheet(VARIABLES);
    document.head.append(style);
}

/** The theme with its variables resolved, for a drawing that leaves the page. */
export function resolvedTheme(): Theme {
    const probe = document.createElement("span");
    document.body.append(probe);
    const resolve = (value: string) => {
        probe.style.color = value;
        return plainColour(getComputedStyle(probe).color);
    };
    const entries = Object.entries(VARIABLES).map(([key, value]) => [
        key,
        key === "font" ? getComputedStyle(document.body).fontFamily.replaceAll('"', "'") : resolve(value),
    ]);
    probe.remove();
    return Object.fromEntries(entries) as Theme;
}

/** `color(srgb 1 0.5 0 / 0.1)`, as mixed colours are computed, in the form that every reader of SVG knows. */
export function plainColour(computed: string): string {
    const found = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/.exec(computed);
    if (!found) {
        return computed;
    }
    const [red, green, blue] = found.slice(1, 4).map((part) => Math.round(255 * Number(part)));
    return found.at(4) === undefined ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${Number(found[4])})`;
}
