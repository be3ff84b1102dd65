// Steps of a way through the editor, and the settings of its workspace.
import fs from "node:fs";

export const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern" };

export class Steps {
    constructor(page, out, name) {
        this.page = page;
        this.out = out;
        this.name = name;
        this.passed = 0;
        this.failed = 0;
    }

    async step(name, run) {
        const started = Date.now();
        try {
            await run();
            this.passed += 1;
            console.log(`ok ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
        } catch (error) {
            this.failed += 1;
            console.log(`not ok ${name}\n${error.stack}`);
            const told = await this.page.locator(".notification-toast, .quick-input-widget:visible").allInnerTexts();
            console.log(`in sight: ${JSON.stringify(told)}`);
            await this.page.screenshot({ path: `${this.out}/failed-${this.name}-${this.failed}.png` });
        }
    }

    end() {
        console.log(`${this.passed} passed, ${this.failed} failed`);
        process.exit(this.failed ? 1 : 0);
    }
}

// Change settings of the workspace; the editor takes them as they are written.
export function settings(project, more) {
    const path = `${project}/.vscode/settings.json`;
    fs.writeFileSync(path, JSON.stringify({ ...JSON.parse(fs.readFileSync(path, "utf8")), ...more }));
}
