// A person's way through the packaged extension, in VS Code served to Chromium: pictures.mjs PORT PROJECT OUT
// PROJECT is a copy of examples/ whose settings name the server. OUT gets a picture of each feature, light and dark.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";

import { browse } from "./browser.mjs";
import { Editor } from "./editor.mjs";
import { Steps, THEMES, settings } from "./steps.mjs";

const [port, project, out] = process.argv.slice(2);
const FILE = "gemm_naive.cu";
const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const TEXT = fs.readFileSync(`${project}/${FILE}`, "utf8");

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

await steps.step("profiles of the settings file are switched in the status bar", async () => {
    const file = `${project}/roofline.toml`;
    fs.writeFileSync(file, '[profiles.small]\nargs = "256"\n\n[profiles.big]\nargs = "8192"\n');
    await page.locator(".statusbar-item", { hasText: "no profile" }).click();
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: /big.*args = 8192/ }).waitFor();
    await editor.picture("profiles-dark", page.locator(".quick-input-widget"));
    await rows.filter({ hasText: /big.*args = 8192/ }).click();
    await page.locator(".statusbar-item", { hasText: /^\s*big$/ }).waitFor();
    await page.locator(".codelens-decoration", { hasText: /\d+ ms on RTX 3080/ }).first().waitFor();
    await page.locator(".statusbar-item", { hasText: /^\s*big$/ }).click();
    await rows.filter({ hasText: "No profile chosen here" }).click();
    await page.locator(".statusbar-item", { hasText: "no profile" }).waitFor();
    fs.rmSync(file);
    await page.locator(".statusbar-item", { hasText: "no profile" }).waitFor({ state: "hidden" });
});

await steps.step("the panel draws the workspace", async () => {
    await editor.command("Roofline: Show Roofline");
    const panel = editor.panel();
    await panel.locator("g.point").first().waitFor();
    await panel.getByRole("button", { name: "Workspace" }).click();
    await panel.locator("tr", { hasText: "saxpy" }).waitFor({ timeout: 60_000 });
    await panel.getByText("14 kernels", { exact: true }).waitFor();
    assert.equal(await panel.locator("g.point").count(), 14);
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

for (const [name, theme] of Object.entries(THEMES)) {
    await steps.step(`contrast of the panel is AA, ${name}`, async () => {
        settings(project, { "workbench.colorTheme": theme });
        await page.locator(`.monaco-workbench.${name === "dark" ? "vs-dark" : "vs"}`).waitFor();
        await page.waitForTimeout(500);
        const found = await editor.panel().locator("main").evaluate(contrasts);
        console.log(`# ${found.map(([what, ratio]) => `${what} ${ratio.toFixed(1)}`).join(", ")}`);
        assert.ok(found.length >= 10, "parts were found");
        const low = found.filter(([what, ratio]) => ratio < (what.startsWith("text") ? 4.5 : 3));
        assert.deepEqual(low, []);
    });
    await steps.step(`axe-core finds nothing wrong with the panel, ${name}`, async () => {
        const main = await editor.panel().locator("main").elementHandle();
        const frame = await main.ownerFrame();
        await frame.evaluate(AXE);
        const { judged, wrong } = await main.evaluate(async (element) => {
            const { violations, passes } = await globalThis.axe.run(element, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } });
            return { judged: passes.map((rule) => rule.id), wrong: violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")} ${node.failureSummary}`)) };
        });
        console.log(`# ${judged.length} rules: ${judged.join(", ")}`);
        assert.equal(wrong.length, 0, wrong.slice(0, 8).join("; "));
        assert.ok(["color-contrast", "button-name", "label", "aria-allowed-role"].every((rule) => judged.includes(rule)), judged.join());
    });
}

await steps.step("argument sets are added in a form, which says what is wrong with a field", async () => {
    const panel = editor.panel();
    await panel.getByRole("button", { name: "Add..." }).click();
    await panel.getByLabel("Name", { exact: true }).fill("n = 100 M");
    await panel.getByLabel("Arguments", { exact: true }).fill("'10000");
    await page.keyboard.press("Enter");
    await panel.getByRole("alert").filter({ hasText: "A shell cannot read this: no closing quotation." }).waitFor();
    assert.equal(await panel.locator("[aria-invalid]").getAttribute("id"), "set-args");
    await panel.getByLabel("Arguments", { exact: true }).fill("100000000");
    await panel.getByLabel("Sizes", { exact: true }).fill("n: much");
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByRole("alert").filter({ hasText: "Write NAME = NUMBER or KERNEL: NAME = NUMBER, not 'n: much'." }).waitFor();
    await editor.picture("sets-wrong", page.locator(".part.editor"));
    await panel.getByLabel("Sizes", { exact: true }).fill("");
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByRole("button", { name: "n = 100 M", pressed: true }).waitFor();
    assert.equal(fs.readFileSync(`${project}/roofline.toml`, "utf8"), '[profiles."n = 100 M"]\nargs = "100000000"\n');
    await panel.getByRole("button", { name: "Add..." }).click();
    await panel.getByLabel("Name", { exact: true }).fill("small");
    await panel.getByLabel("Sizes", { exact: true }).fill("gemm*: n = 4096");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await panel.getByRole("button", { name: "small", pressed: true }).waitFor();
    await panel.locator("tr", { hasText: "gemm_naive" }).filter({ hasText: /[4-9]\d\.?\d? ms/ }).waitFor();
});

await steps.step("argument sets are chosen, renamed and deleted", async () => {
    const panel = editor.panel();
    await panel.getByRole("button", { name: "n = 100 M" }).click();
    await panel.getByRole("button", { name: "n = 100 M", pressed: true }).waitFor();
    await panel.getByRole("button", { name: "small" }).click();
    await panel.getByRole("button", { name: "small", pressed: true }).waitFor();
    await panel.getByRole("button", { name: "Edit..." }).click();
    assert.equal(await panel.getByLabel("Sizes", { exact: true }).inputValue(), "gemm*: n = 4096");
    await editor.quiet();
    await editor.picture("sets-dark", page.locator(".part.editor"));
    await panel.getByLabel("Name", { exact: true }).fill("n = 4096");
    await page.keyboard.press("Enter");
    await panel.getByRole("button", { name: "n = 4096", pressed: true }).waitFor();
    assert.match(fs.readFileSync(`${project}/roofline.toml`, "utf8"), /\[profiles\."n = 4096"\.kernels\."gemm\*"\]\nn = 4096\n$/);
    await panel.getByRole("button", { name: "Edit..." }).click();
    await panel.getByRole("button", { name: "Delete" }).click();
    await panel.getByRole("button", { name: "none", pressed: true }).waitFor();
    // The set is let go of before it is deleted.
    const deleted = () => !fs.readFileSync(`${project}/roofline.toml`, "utf8").includes("4096");
    for (let tries = 0; tries < 50 && !deleted(); tries++) {
        await page.waitForTimeout(200);
    }
    assert.ok(deleted());
    await panel.getByRole("button", { name: "n = 100 M" }).click();
    await panel.getByRole("button", { name: "Edit..." }).click();
    await panel.getByRole("button", { name: "Delete" }).click();
    await panel.getByRole("button", { name: "Add..." }).waitFor();
    await panel.getByRole("button", { name: "none" }).waitFor({ state: "hidden" });
    fs.rmSync(`${project}/roofline.toml`);
    assert.equal(await page.locator(".notification-toast", { hasText: "settings profile" }).count(), 0);
});

await steps.step("a tip tells of the point below the pointer", async () => {
    const panel = editor.panel();
    await panel.locator("g.point", { hasText: "gemm_tiled" }).first().locator(".dot").hover();
    await panel.locator(".tip strong", { hasText: /^gemm_tiled: compute-bound, \d\d% sure$/ }).waitFor();
    await editor.picture("panel-tip", page.locator(".part.editor"));
});

await steps.step("the filter leaves what it names, and keeps the cursor in its field", async () => {
    const panel = editor.panel();
    await panel.locator("input[type=search]").click();
    await page.keyboard.type("gemm", { delay: 30 });
    await panel.getByText("2 of 14 kernels").waitFor();
    assert.equal(await panel.locator("g.point").count(), 2);
    assert.equal(await panel.locator("tbody tr").count(), 2);
    assert.equal(await panel.locator("input[type=search]").inputValue(), "gemm");
    await panel.locator("input[type=search]").fill("");
    await panel.getByText("14 kernels", { exact: true }).waitFor();
});

await steps.step("all points have names, and the columns fit", async () => {
    const panel = editor.panel();
    assert.equal(await panel.locator("g.point .name").count(), await panel.locator("g.point").count());
    const { over, columns, heads } = await panel.locator("table").evaluate((table) => ({
        over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        columns: [...table.querySelectorAll("thead th")].filter((each) => each.offsetWidth > 0).length,
        heads: table.querySelectorAll("thead th").length,
    }));
    assert.equal(over, 0);
    assert.ok(columns >= 3 && columns <= heads);
});

await steps.step("the panel is used by keyboard, and a point leads to its kernel", async () => {
    const panel = editor.panel();
    await panel.locator("tbody button[tabindex='0']").focus();
    await page.keyboard.press("End");
    const last = await panel.locator("tbody tr").last().locator("button").textContent();
    assert.equal(await panel.locator("tbody button:focus").textContent(), last);
    await panel.locator("g.point[tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    const chosen = await panel.locator("g.point:focus").getAttribute("aria-label");
    await page.keyboard.press("Enter");
    const kernel = chosen.split(":")[0];
    await page.locator(".view-line", { hasText: new RegExp(`(^|\\s)${kernel}\\(`) }).first().waitFor();
});

await steps.step("a point leaves a trail while its kernel is edited", async () => {
    const panel = editor.panel();
    await panel.locator("tbody button", { hasText: "gemm_naive" }).click();
    await panel.getByRole("button", { name: "File" }).click();
    await panel.getByText("gemm_naive.cu", { exact: true }).waitFor();
    await page.locator(".view-line", { hasText: "sum += a[row" }).first().click();
    await page.keyboard.press("End");
    await page.keyboard.type(" sum += a[row * n + k] * 2.0f;", { delay: 10 });
    await panel.locator("polyline.trail").first().waitFor();
    await panel.locator(".changes li", { hasText: /^gemm_naive: \S+ \S+ -> \S+ \S+/ }).first().waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("Home");
    await editor.picture("panel-trail", page.locator(".part.editor"));
});

await steps.step("the view has all kernels of the workspace, and the status bar that at the cursor", async () => {
    await page.locator(".statusbar-item", { hasText: /Compute-bound \d\d%/ }).waitFor();
    await editor.command("View: Show Roofline");
    const tree = page.locator(".pane-body .monaco-list-row");
    await tree.filter({ hasText: "saxpy" }).first().waitFor({ timeout: 60_000 });
    await page.locator(".pane-body .monaco-list-row", { hasText: /^Compute-bound/ }).first().waitFor();
    await editor.quiet();
    await editor.picture("view-dark", page.locator(".monaco-workbench"));
    await tree.filter({ hasText: "target region of dot_product" }).first().click();
    await page.locator(".view-line", { hasText: "#pragma omp target" }).first().waitFor();
});

await steps.step("what the analysis sees stands beside the editor, and follows the cursor", async () => {
    await page.keyboard.press("Control+B");
    await page.locator('.tab[data-resource-name="gemm_naive.cu"]').click();
    await editor.command("File: Save");
    fs.writeFileSync(`${project}/${FILE}`, TEXT); // as it was before the trail
    await page.locator(".view-line", { hasText: /sum\s\+=.*sum/ }).waitFor({ state: "hidden" });
    await page.locator(".view-line", { hasText: "col >= n" }).first().click();
    await editor.command("Roofline: Explain This Kernel");
    const sees = page.locator(".editor-instance", { hasText: /command\sline\sof\sthe\sprogram/ }).first();
    await sees.locator(".view-line", { hasText: /Regions:\show\soften/ }).waitFor();
    await sees.locator(".view-line", { hasText: /Time\sthat\seach\sresource/ }).waitFor();
    await page.locator(".view-line", { hasText: "col >= n" }).first().click();
    await sees.locator(".cdr").first().waitFor({ state: "attached" });
    await editor.quiet();
    await editor.picture("sees-dark", page.locator(".part.editor"));
});

await steps.step("nothing broke the page's security policy", async () => {
    assert.deepEqual(editor.refused, []);
});

await browser.close();
steps.end();

// Runs in the page: how parts stand out from the background, by WCAG's relative luminance.
function contrasts(main) {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const over = (colours) => {
        colours.forEach((colour) => { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); });
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((each) => each / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = getComputedStyle(document.body).backgroundColor;
    const ratio = (colour, behind) => {
        const [a, b] = [over([paper, ...behind, colour]), over([paper, ...behind])];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const parts = [
        ["text of the axes", ".roofline text.tick", "fill"],
        ["text of roofs", ".roofline text.roof", "fill"],
        ["text of slopes", ".roofline text.slope", "fill"],
        ["text of names", ".roofline .name", "fill"],
        ["text of cells", "tbody td", "color"],
        ["text of heads", "thead th", "color"],
        ["text of files", "tbody .muted", "color"],
        ["text of switches", ".switches button[aria-pressed=true]", "color"],
        ["text of switches that are off", ".switches button[aria-pressed=false]", "color"],
        ["point SP", ".point.sp .dot", "fill"],
        ["point DP", ".point.dp .dot", "fill"],
        ["point INT", ".point.int .dot", "fill"],
        ["roof SP", "line.roof.sp", "stroke"],
        ["slope", "line.dram", "stroke"],
    ];
    return parts.flatMap(([what, selector, property]) => {
        const element = main.querySelector(selector);
        if (!element) {
            return [];
        }
        const own = property === "color" ? [getComputedStyle(element).backgroundColor] : [];
        return [[what, ratio(getComputedStyle(element)[property], own)]];
    });
}
