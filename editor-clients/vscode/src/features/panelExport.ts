/** A drawing of the panel as a file. */

import * as vscode from "vscode";

type Format = "svg" | "png" | "pdf";

/** Ask where to, and write it. `data` is the SVG's text, the PDF's bytes as characters, or a PNG as a data URL. */
export async function saveDrawing(format: Format, data: string): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog({
        filters: { [format.toUpperCase()]: [format] },
        ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, `roofline.${format}`) } : {}),
    });
    if (target) {
        await vscode.workspace.fs.writeFile(target, bytesOf(format, data));
    }
}

export function bytesOf(format: Format, data: string): Uint8Array {
    if (format === "png") {
        return Buffer.from(data.slice(data.indexOf(",") + 1), "base64");
    }
    return Buffer.from(data, format === "svg" ? "utf-8" : "latin1");
}
