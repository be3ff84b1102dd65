// VS Code's window as a person uses it.
export class Editor {
    constructor(page, out) {
        this.page = page;
        this.out = out;
        this.refused = [];
        page.setDefaultTimeout(30_000);
        page.on("console", (message) => {
            if (/Refused to|Content Security Policy/.test(message.text())) {
                this.refused.push(message.text());
            }
        });
    }

    async open(url, file) {
        await this.page.goto(url);
        await this.page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
        await this.page.getByRole("treeitem", { name: file }).first().dblclick({ timeout: 60_000 });
        await this.page.locator(`.tab[data-resource-name="${file}"]`).waitFor();
        await this.page.locator(".view-line").first().waitFor();
        await this.page.keyboard.press("Control+B"); // the side bar away
    }

    // The row is clicked: Enter takes the first one, which may be another while the list lags behind what was typed.
    async command(title) {
        await (await this.chosen(title)).waitFor({ state: "hidden" });
    }

    // The palette, in which a command was chosen; one that asks for something goes on in its place.
    async chosen(title) {
        const palette = this.page.locator(".quick-input-widget");
        await this.page.keyboard.press("F1");
        await palette.locator("input[type=text]").first().waitFor();
        await this.page.keyboard.type(title);
        await palette.locator(".monaco-list-row a", { hasText: new RegExp(`^${title}$`) }).click();
        return palette;
    }

    async hoverOver(word) {
        const box = await this.page.evaluate(boxOfWord, word);
        await this.page.mouse.move(box.x - 40, box.y + 120);
        await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
    }

    panel() {
        return this.page.frameLocator("iframe.webview").frameLocator("#active-frame");
    }

    // The panel over the whole width, as for a picture.
    async onlyThePanel() {
        await this.panel().locator("main").click({ position: { x: 5, y: 5 } });
        await this.command("View: Toggle Maximize Editor Group");
        await this.page.waitForTimeout(500);
    }

    async bothAgain() {
        await this.command("View: Toggle Maximize Editor Group");
        await this.page.waitForTimeout(500);
    }

    // Wait for what moves: notifications, scroll bars, the cursor.
    async quiet() {
        await this.page.mouse.move(5, 400);
        await this.page.locator(".notification-toast").first().waitFor({ state: "hidden" });
        await this.page.waitForTimeout(900);
    }

    async picture(name, of) {
        await of.screenshot({ path: `${this.out}/${name}.png`, caret: "hide" });
    }

    // The upper left part of the editor, where the kernel is.
    async pictureOfCode(name) {
        const { x, y } = await this.page.locator(".editor-instance").first().boundingBox();
        const clip = { x, y, width: 1000, height: 530 };
        await this.page.screenshot({ path: `${this.out}/${name}.png`, caret: "hide", clip });
    }
}

// Runs in the page: where a word stands in the editor's text.
function boxOfWord(word) {
    const lines = [...document.querySelectorAll(".view-line")];
    for (const line of [...lines.filter((each) => each.textContent.includes("__global__")), ...lines]) {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(word);
            if (at >= 0) {
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + word.length);
                const { x, y, width, height } = range.getBoundingClientRect();
                return { x, y, width, height };
            }
        }
    }
    throw new Error(`there is no '${word}' in sight`);
}
