// Runs the tests in VS Code's own extension host: exthost.mjs PORT EXTENSION PROJECT
// The server listens on PORT with the flag that lets a page name an extension under development and its tests.
import { browse } from "./browser.mjs";

const LONGEST_S = 300;
const [port, extension, project] = process.argv.slice(2);
const origin = `127.0.0.1:${port}`;
const remote = (path) => `vscode-remote://${origin}${path}`;
const payload = [
    ["extensionDevelopmentPath", remote(extension)],
    ["extensionTestsPath", remote(`${extension}/out/test/run.js`)],
];

const browser = await browse();
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const ended = new Promise((resolve) => {
    setTimeout(() => resolve(`no end after ${LONGEST_S} s`), LONGEST_S * 1000);
    void page.exposeFunction("codeAutomationExit", resolve);
});
let testing = false;
await page.exposeFunction("codeAutomationLog", (_, args) => {
    const text = args.join(" ");
    testing ||= /^(not )?ok /.test(text);
    if (text === "waiting for trust") {
        trust().catch((error) => console.log(`trust was not given: ${error.message}`));
    } else if (testing && !/additional builtin|deprecat|^\[/.test(text)) {
        console.log(text);
    }
});
await page.goto(`http://${origin}/?folder=${project}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
const status = await ended;
if (status !== 0) {
    console.log(`the extension host ended with ${status}`);
    if (process.env.PICTURES) {
        await page.screenshot({ path: `${process.env.PICTURES}/exthost-failed.png` });
    }
}
await browser.close();
process.exit(status === 0 ? 0 : 1);

// As a person does: in the page that the banner of the restricted mode leads to. On a busy machine the banner is there
// before it does what it says, and is clicked again.
async function trust() {
    const button = page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }).first();
    for (let attempts = 5; ; attempts--) {
        await page.getByRole("button", { name: "Manage" }).first().click();
        try {
            await button.click({ timeout: 5_000 });
            return;
        } catch (error) {
            if (attempts === 1) {
                throw error;
            }
        }
    }
}
