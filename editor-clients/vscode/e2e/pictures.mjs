// A person's way through the packaged extension, in VS Code served to Chromium: pictures.mjs PORT PROJECT OUT
// PROJECT is a copy of examples/ whose settings name the server. OUT gets a picture of each feature, light and dark.
import assert from "node:assert/strict";
import fs from "node:fs";

import { browse } from "./browser.mjs";
import { Editor } from "./editor.mjs";
import { Steps, THEMES, settings } from "./steps.mjs";

const [port, project, out] = process.argv.slice(2);
const FILE = "gemm_naive.cu";

fs.mkdirSync(out, { recursive: true });
settings(project, { "roofline.inlayHints.enabled": true, "workbench.colorTheme": THEMES.light });
const browser = await browse();
const page = await browser.newPage({ viewport: { width: 1240, height: 760 }, deviceScaleFactor: 1.5 });
const editor = new Editor(page, out);
const steps = new Steps(page, out, "pictures");

await steps.step("the editor opens a kernel file", async () => {
    await editor.open(`http://127.0.0.1:${port}/?folder=${project}`, FILE);
});

await steps.step("the status bar has the GPU", async () => {
    await page.locator(".statusbar-item", { hasText: "RTX 3080" }).waitFor();
});

for (const [name, theme] of Object.entries(THEMES)) {
    await steps.step(`lenses, hints and heat, ${name}`, async () => {
        settings(project, { "workbench.colorTheme": theme });
        await page.locator(`.monaco-workbench.${name === "dark" ? "vs-dark" : "vs"}`).waitFor();
        await page.locator(".codelens-decoration", { hasText: /^Compute-bound, \d\d% sure/ }).first().waitFor();
        await page.locator(".view-line", { hasText: /%\sINT/ }).first().waitFor();
        await editor.quiet();
        await editor.pictureOfCode(`lens-${name}`);
    });
    await steps.step(`hover, ${name}`, async () => {
        await editor.hoverOver("gemm_naive");
        const card = page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "Compute-bound" }).first();
        await card.waitFor();
        await editor.pictureOfCode(`hover-${name}`);
        await page.keyboard.press("Escape");
    });
}

await steps.step("a lens leads to the details", async () => {
    await page.locator(".codelens-decoration a").first().click();
    await page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "Compute-bound" }).first().waitFor();
    await page.keyboard.press("Escape");
});

await steps.step("the GPU is chosen from a list that shows ridges", async () => {
    await page.locator(".statusbar-item", { hasText: "RTX 3080" }).click();
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "ridge SP" }).first().waitFor();
    await page.keyboard.type("A100 SXM4 40");
    const row = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: /A100 SXM4 40GB.*ridge SP/ }).first();
    await row.waitFor();
    await editor.picture("gpus-dark", page.locator(".quick-input-widget"));
    await page.keyboard.press("Enter");
    await page.locator(".codelens-decoration", { hasText: /on A100/ }).first().waitFor();
    settings(project, { "roofline.gpu": "RTX 3080" });
    await page.locator(".codelens-decoration", { hasText: /on RTX 3080/ }).first().waitFor();
});

await steps.step("the panel draws the workspace", async () => {
    await editor.command("Roofline: Show Roofline");
    const panel = editor.panel();
    await panel.locator("g.point").first().waitFor();
    await panel.getByRole("button", { name: "Workspace" }).click();
    await panel.locator("tr", { hasText: "saxpy" }).waitFor({ timeout: 60_000 });
    assert.ok((await panel.locator("g.point").count()) >= 10);
});

for (const [name, theme] of Object.entries(THEMES)) {
    await steps.step(`the panel, ${name}`, async () => {
        settings(project, { "workbench.colorTheme": theme });
        await page.locator(`.monaco-workbench.${name === "dark" ? "vs-dark" : "vs"}`).waitFor();
        await editor.onlyThePanel();
        await editor.quiet();
        await editor.picture(`panel-${name}`, page.locator(".part.editor"));
        await editor.bothAgain();
    });
}

await steps.step("the panel is used by keyboard, and a point leads to its kernel", async () => {
    const panel = editor.panel();
    await panel.locator("g.point[tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    const chosen = await panel.locator("g.point:focus").getAttribute("aria-label");
    await page.keyboard.press("Enter");
    const kernel = chosen.split(":")[0];
    await page.locator(".view-line", { hasText: new RegExp(`(^|\\s)${kernel}\\(`) }).first().waitFor();
});

await steps.step("nothing broke the page's security policy", async () => {
    assert.deepEqual(editor.refused, []);
});

await browser.close();
steps.end();
