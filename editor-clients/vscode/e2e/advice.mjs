// Suggestions of a model, asked for and confirmed in VS Code served to Chromium: advice.mjs PORT MODEL_PORT PROJECT OUT
// The editor's own settings turn the advisor on and name http://127.0.0.1:MODEL_PORT as the model's service.
import assert from "node:assert/strict";
import fs from "node:fs";

import { browse } from "./browser.mjs";
import { Editor } from "./editor.mjs";
import { model } from "./model.mjs";
import { Steps, THEMES, settings } from "./steps.mjs";

const [port, modelPort, project, out] = process.argv.slice(2);
const SUGGESTIONS = [
    {
        title: "Store the sum once",
        why: "Only the last of 64 stores to y[i] counts.",
        expected_effect: "63 of 64 stores are saved.",
        edits: [
            {
                first_line: 11,
                last_line: 12,
                original: "            y[i] = s;\n        }",
                replacement: "        }\n        y[i] = s;",
            },
        ],
    },
];

const MADE = "            s += scaled(x[i * 64 + k]) / 3.0f;\n        }\n        y[i] = s;";

fs.mkdirSync(out, { recursive: true });
settings(project, { "workbench.colorTheme": THEMES.light });
const service = await model(Number(modelPort), SUGGESTIONS);
const browser = await browse();
const page = await browser.newPage({ viewport: { width: 1240, height: 760 }, deviceScaleFactor: 1.5 });
const editor = new Editor(page, out);
const steps = new Steps(page, out, "advice");

await steps.step("a kernel is open", async () => {
    await editor.open(`http://127.0.0.1:${port}/?folder=${project}`, "rows.cu");
    await page.locator(".codelens-decoration", { hasText: /^Bandwidth-bound, \d\d% sure/ }).first().waitFor();
    assert.equal(service.asked.length, 0, "nothing is sent unasked");
});

await steps.step("suggestions are asked for and offered", async () => {
    await page.locator(".view-line", { hasText: "__global__" }).first().click();
    await editor.command("Roofline: Suggest Optimizations");
    const offer = page.locator(".notification-toast").getByRole("button", { name: /^Store the sum once/ });
    await offer.waitFor({ timeout: 120_000 }); // the programs are judged again for each suggestion
    assert.ok(service.asked.length > 0);
    await offer.click();
});

await steps.step("an edit is shown before it is made", async () => {
    await page.locator(".diff-editor, .monaco-diff-editor").first().waitFor();
    await page.locator(".view-line.line-insert, .char-insert, .line-insert").first().waitFor();
    await page.locator(".notification-toast").getByRole("button", { name: "Apply" }).waitFor();
    for (const [name, theme] of Object.entries(THEMES)) {
        settings(project, { "workbench.colorTheme": theme });
        await page.locator(`.monaco-workbench.${name === "dark" ? "vs-dark" : "vs"}`).waitFor();
        await page.waitForTimeout(800);
        await page.screenshot({ path: `${out}/suggestion-${name}.png` });
    }
});

await steps.step("and made when it is confirmed", async () => {
    assert.ok(!fs.readFileSync(`${project}/rows.cu`, "utf8").includes(MADE));
    await page.locator(".notification-toast").getByRole("button", { name: "Apply" }).click();
    await page.locator(".diff-editor, .monaco-diff-editor").first().waitFor({ state: "hidden" });
    await editor.command("File: Save");
    for (let tries = 0; tries < 100 && !fs.readFileSync(`${project}/rows.cu`, "utf8").includes(MADE); tries++) {
        await page.waitForTimeout(100);
    }
    assert.ok(fs.readFileSync(`${project}/rows.cu`, "utf8").includes(MADE));
});

await browser.close();
service.close();
steps.end();
