// Five tasks in VS Code's window, and how long each takes: tasks.mjs PORT PROJECT OUT
// PROJECT is a copy of the tests' project whose settings name the server. For each task prints a line with tabs between:
// editor, task, seconds, actions. The next action follows when the window shows what it is for, so the seconds are the
// machine's, without a person's. An action is a command, a click, a key, or what is typed into one field. OUT gets a
// picture of the result of each task.
import fs from "node:fs";

import { browse } from "./browser.mjs";
import { Editor } from "./editor.mjs";

const [port, project, out] = process.argv.slice(2);

fs.mkdirSync(out, { recursive: true });
const browser = await browse();
const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
const editor = new Editor(page, out);
let actions = 0;

async function act(run) {
    actions += 1;
    await run();
}

async function task(name, run) {
    actions = 0;
    const started = Date.now();
    try {
        await run();
    } catch (error) {
        console.error(`${name}: ${error.stack}`);
        await page.screenshot({ path: `${out}/task-failed.png` });
        await browser.close();
        process.exit(1);
    }
    console.log(["VS Code", name, ((Date.now() - started) / 1000).toFixed(2), actions].join("\t"));
    await page.screenshot({ path: `${out}/task-${name.replaceAll(" ", "-")}.png` });
}

// Lines of the editor have no-break spaces for blanks.
const line = (text) => page.locator(".view-line").filter({ hasText: text }).first();

// Wait for a table of some page inside the window.
async function shownInFrame(wanted) {
    const texts = (frame) => frame.locator("table").allInnerTexts().catch(() => []); // a frame may go meanwhile
    for (const end = Date.now() + 30_000; Date.now() < end; await page.waitForTimeout(50)) {
        if ((await Promise.all(page.frames().map(texts))).flat().some((text) => wanted(text.replace(/\s+/g, " ")))) {
            return;
        }
    }
    throw new Error("no such table within 30 s");
}

await editor.open(`http://127.0.0.1:${port}/?folder=${project}`, "horner.cu");
await page.locator(".codelens-decoration", { hasText: /^Compute-bound/ }).first().waitFor({ timeout: 60_000 });

await task("find the slowest kernel", async () => {
    await act(() => editor.command("Roofline: Show Roofline"));
    const panel = editor.panel();
    await act(() => panel.getByRole("button", { name: "Workspace" }).click());
    const first = panel.locator("tbody tr").first();
    await first.filter({ hasText: "halves" }).filter({ hasText: "1.16 ms" }).waitFor();
    await act(() => first.getByRole("button").click());
    await page.locator('.tab.active[data-resource-name="halves.cu"]').waitFor();
    await page.locator(".codelens-decoration", { hasText: /^Compute-bound.*1\.16 ms/ }).first().waitFor();
});

await task("see why", async () => {
    await act(() => editor.hoverOver("halves"));
    await page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "Time is set by DP arithmetic" }).first().waitFor();
});

await task("apply a fix", async () => {
    await act(() => page.keyboard.press("F8"));
    await page.locator(".marker-widget", { hasText: "RL201" }).waitFor();
    await act(() => page.keyboard.press("Control+."));
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: /literals single precision/ }).first();
    await fix.waitFor();
    await act(() => fix.click());
    await line(/v\s=\sv\s\*\s0\.5f\s/).waitFor();
    await page.locator(".codelens-decoration", { hasText: /^Bandwidth-bound/ }).first().waitFor();
});

await task("compare two GPUs", async () => {
    await act(() => editor.command("Roofline: Compare GPUs"));
    const row = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: /A100 SXM4 40GB/ }).first();
    await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await act(() => page.keyboard.type("A100 SXM4 40"));
    await act(() => row.click());
    await act(() => page.keyboard.press("Enter"));
    await shownInFrame((text) => text.includes("A100 SXM4 40GB") && text.includes("RTX 3080"));
});

await task("see what the model would be sent", async () => {
    await act(() => page.locator('.tab[data-resource-name="halves.cu"]').click());
    await act(() => editor.command("Roofline: Show What Is Sent to the Model"));
    await line(/You\sjudge\sGPU\skernels/).waitFor({ timeout: 60_000 });
});

await browser.close();
