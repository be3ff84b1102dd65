/** Versions of the server, as `roofline-lsp --version` prints them. */

/** The oldest server that this extension works with. */
export const OLDEST = "0.1.0";

/** `1.2.3` of `roofline-lsp 1.2.3.dev4`; null where the text is no answer of roofline-lsp. */
export function parseVersion(output: string): string | null {
    return /^roofline-lsp (\S+)\s*$/m.exec(output)?.[1] ?? null;
}

/** Whether a version is older than another. One that cannot be told, as of a checkout, is not. */
export function isOlder(version: string, than: string): boolean {
    if (version.startsWith("0+")) {
        return false;
    }
    const [a, b] = [numbers(version), numbers(than)];
    for (let at = 0; at < Math.max(a.length, b.length); at++) {
        const [left, right] = [a[at] ?? 0, b[at] ?? 0];
        if (left !== right) {
            return left < right;
        }
    }
    return false;
}

function numbers(version: string): number[] {
    return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}
