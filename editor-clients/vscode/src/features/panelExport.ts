/** A drawing of the panel as a file. */

import * as vscode from "vscode";

/** Ask where to, and write it. `data` is the SVG's text, or a PNG as a data URL. */
export async function saveDrawing(format: "svg" | "png", data: string): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog({
        filters: format === "svg" ? { SVG: ["svg"] } : { PNG: ["png"] },
        ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, `roofline.${format}`) } : {}),
    });
    if (target) {
        await vscode.workspace.fs.writeFile(target, bytesOf(format, data));
    }
}

export function bytesOf(format: "svg" | "png", data: string): Uint8Array {
    return format === "svg" ? Buffer.from(data, "utf-8") : Buffer.from(data.slice(data.indexOf(",") + 1), "base64");
}
