// Chromium for the editor's tests: quiet, and without a look at anything but this machine.
import { chromium } from "playwright-core";

const ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
];

export async function browse() {
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
    return chromium.launch({ executablePath, headless: true, args: ARGUMENTS });
}
