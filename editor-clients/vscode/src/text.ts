/**
 * Text of strangers made harmless: names of kernels, files and GPUs come from whoever wrote a project, words from a model.
 *
 * Everything that is shown goes by one of these; the webview builds its page from text nodes, which need nothing.
 */

/** Control and direction characters, but for tabs and ends of lines. */
const OBEYED = /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MARKUP = /[\\`*_{}[\]()#+!|<>~&$@=]|:(?=\/\/)|(?<=www)\./g;

function shown(character: string): string {
    return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** For messages, titles, lists and the status bar, in which `[text](command:...)` and `$(icon)` are markup. */
export function plain(text: string): string {
    return text
        .replace(OBEYED, shown)
        .replace(/\](?=[([])/g, "] ")
        .replace(/\$(?=\()/g, "$ ");
}

/** For Markdown, as words: nothing in it is markup. */
export function prose(text: string): string {
    return text
        .replace(OBEYED, shown)
        .replace(/\s*[\r\n]\s*/g, " ")
        .replace(MARKUP, "\\$&");
}

/** For Markdown, as code. */
export function code(text: string): string {
    const line = text.replace(OBEYED, shown).replace(/\s*[\r\n]\s*/g, " ");
    const ticks = (line.match(/`+/g) ?? []).map((each) => each.length);
    const fence = "`".repeat(1 + Math.max(0, ...ticks));
    return ticks.length ? `${fence} ${line} ${fence}` : `\`${line}\``;
}
