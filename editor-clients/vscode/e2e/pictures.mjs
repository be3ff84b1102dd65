// A person's way through the packaged extension, in VS Code served to Chromium: pictures.mjs PORT PROJECT OUT
// PROJECT is a copy of examples/ whose settings name the server. OUT gets a picture of each feature, light and dark.
import assert from "node:assert/strict";
import fs from "node:fs";

import { browse } from "./browser.mjs";
import { Editor } from "./editor.mjs";

const [port, project, out] = process.argv.slice(2);
const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern" };
const FILE = "gemm_naive.cu";

let passed = 0;
let failed = 0;

async function step(name, run) {
    const started = Date.now();
    try {
        await run();
        passed += 1;
        console.log(`ok ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failed += 1;
        console.log(`not ok ${name}\n${error.stack}`);
        await editor.page.screenshot({ path: `${out}/failed-${failed}.png` });
    }
}

function settings(more) {
    const path = `${project}/.vscode/settings.json`;
    fs.writeFileSync(path, JSON.stringify({ ...JSON.parse(fs.readFileSync(path, "utf8")), ...more }));
}

fs.mkdirSync(out, { recursive: true });
settings({ "roofline.inlayHints.enabled": true, "workbench.colorTheme": THEMES.light });
const browser = await browse();
const page = await browser.newPage({ viewport: { width: 1240, height: 760 }, deviceScaleFactor: 1.5 });
const editor = new Editor(page, out);

await step("the editor opens a kernel file", async () => {
    await editor.open(`http://127.0.0.1:${port}/?folder=${project}`, FILE);
});

await step("the status bar has the GPU", async () => {
    await page.locator(".statusbar-item", { hasText: "RTX 3080" }).waitFor();
});

for (const [name, theme] of Object.entries(THEMES)) {
    await step(`lenses, hints and heat, ${name}`, async () => {
        settings({ "workbench.colorTheme": theme });
        await page.locator(`.monaco-workbench.${name === "dark" ? "vs-dark" : "vs"}`).waitFor();
        await page.locator(".codelens-decoration", { hasText: /^CB \d\d%/ }).first().waitFor();
        await page.locator(".view-line", { hasText: /%\sINT/ }).first().waitFor();
        await editor.quiet();
        await editor.picture(`lens-${name}`, page.locator(".editor-instance").first());
    });
    await step(`hover, ${name}`, async () => {
        await editor.hoverOver("gemm_naive");
        const card = page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "Compute-bound" }).first();
        await card.waitFor();
        await editor.picture(`hover-${name}`, page.locator(".editor-instance").first());
        await page.keyboard.press("Escape");
    });
}

await step("a lens leads to the details", async () => {
    await page.locator(".codelens-decoration a").first().click();
    await page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "Compute-bound" }).first().waitFor();
    await page.keyboard.press("Escape");
});

await step("the GPU is chosen from a list that shows ridges", async () => {
    await page.locator(".statusbar-item", { hasText: "RTX 3080" }).click();
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "ridge SP" }).first().waitFor();
    await page.keyboard.type("A100 SXM4 40");
    const row = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: /A100 SXM4 40GB.*ridge SP/ }).first();
    await row.waitFor();
    await editor.picture("gpus-dark", page.locator(".quick-input-widget"));
    await page.keyboard.press("Enter");
    await page.locator(".codelens-decoration", { hasText: /on A100/ }).first().waitFor();
    settings({ "roofline.gpu": "RTX 3080" });
    await page.locator(".codelens-decoration", { hasText: /on RTX 3080/ }).first().waitFor();
});

await step("the panel draws the workspace", async () => {
    await editor.command("Roofline: Show Roofline");
    const panel = editor.panel();
    await panel.locator("g.point").first().waitFor();
    await panel.getByRole("button", { name: "Workspace" }).click();
    await panel.locator("tr", { hasText: "saxpy" }).waitFor({ timeout: 60_000 });
    assert.ok((await panel.locator("g.point").count()) >= 10);
});

for (const [name, theme] of Object.entries(THEMES)) {
    await step(`the panel, ${name}`, async () => {
        settings({ "workbench.colorTheme": theme });
        await page.locator(`.monaco-workbench.${name === "dark" ? "vs-dark" : "vs"}`).waitFor();
        await editor.onlyThePanel();
        await editor.quiet();
        await editor.picture(`panel-${name}`, page.locator(".part.editor"));
        await editor.bothAgain();
    });
}

await step("the panel is used by keyboard, and a point leads to its kernel", async () => {
    const panel = editor.panel();
    await panel.locator("g.point[tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    const chosen = await panel.locator("g.point:focus").getAttribute("aria-label");
    await page.keyboard.press("Enter");
    const kernel = chosen.split(":")[0];
    await page.locator(".view-line", { hasText: new RegExp(`void\\s+.*${kernel}`) }).first().waitFor();
});

await step("nothing broke the page's security policy", async () => {
    assert.deepEqual(editor.refused, []);
});

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
