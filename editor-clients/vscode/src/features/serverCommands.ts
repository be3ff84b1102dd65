/** Commands that the server has when a part of it is installed: here is what a person is asked for them. */

import * as vscode from "vscode";

import { type Session } from "../server/session";
import { kernelAtCursor, kernelsOf } from "./details";
import { type Pages } from "./pages";

const SUGGEST = "roofline.suggestOptimizations";
const SHOW_PROMPT = "roofline.showPrompt";
const PROFILE = "roofline.profile";
const EMULATE = "roofline.emulate";
const IMPORT = "roofline.importProfile";

/** Commands with a face here. They are in menus only while the server has them. */
const COMMANDS = [SUGGEST, SHOW_PROMPT, PROFILE, EMULATE, IMPORT];

export function registerServerCommands(session: Session, pages: Pages): vscode.Disposable {
    const registered = new Map<string, vscode.Disposable>();
    return vscode.Disposable.from(
        // The server shows how far it is, offers what it found, and has each edit confirmed.
        vscode.commands.registerCommand(SUGGEST, async (...given: unknown[]) => {
            await onKernel(session, SUGGEST, given);
        }),
        vscode.commands.registerCommand(SHOW_PROMPT, async (...given: unknown[]) => {
            const text = await onKernel(session, SHOW_PROMPT, given);
            if (typeof text === "string") {
                const uri = pages.write("What is sent to the model.md", text);
                await vscode.window.showTextDocument(uri, { preview: true });
            }
        }),
        vscode.commands.registerCommand(PROFILE, async () => profile(session)),
        vscode.commands.registerCommand(EMULATE, async () => emulate(session)),
        vscode.commands.registerCommand(IMPORT, async (...given: unknown[]) => importProfile(session, given)),
        session.onStatus(() => {
            for (const command of COMMANDS) {
                void vscode.commands.executeCommand("setContext", command.replace(".", ".can."), session.can(command));
            }
            passOn(session, registered);
        }),
        new vscode.Disposable(() => {
            vscode.Disposable.from(...registered.values()).dispose();
        }),
    );
}

/** Commands of the server that have no face here are run as they are, as behind its code actions. */
function passOn(session: Session, registered: Map<string, vscode.Disposable>): void {
    for (const command of session.commands) {
        if (!COMMANDS.includes(command) && !registered.has(command)) {
            const run = (...given: unknown[]) => session.run(command, given);
            registered.set(command, vscode.commands.registerCommand(command, run));
        }
    }
}

/** Run a command on the kernel that it was given, or else on the one at the cursor. */
async function onKernel(session: Session, command: string, given: unknown[]): Promise<unknown> {
    const kernel = given.length ? given : await kernelArguments(session);
    if (!session.can(command) || !kernel) {
        void vscode.window.showInformationMessage(
            kernel ? "This needs a part of roofline-lsp that is not installed." : "There is no kernel in this file.",
        );
        return undefined;
    }
    return session.run(command, kernel);
}

/** The document, the kernel's qualified name and its line. */
async function kernelArguments(session: Session): Promise<unknown[] | undefined> {
    const place = await kernelAtCursor(session);
    if (!place) {
        return undefined;
    }
    const line = place.range.start.line + 1;
    const kernel = (await kernelsOf(session, place.uri)).find((each) => each.name_range.line === line);
    return kernel && [place.uri.toString(), kernel.qualified_name, line];
}

async function importProfile(session: Session, given: unknown[]): Promise<void> {
    const chosen = given.length
        ? given
        : (
              await vscode.window.showOpenDialog({
                  title: "Reports of a profiler",
                  openLabel: "Import",
                  canSelectMany: true,
                  filters: { "Profiles": ["ncu-rep", "csv", "txt", "json"], "All files": ["*"] },
              })
          )?.map(String);
    if (chosen?.length) {
        await working("Importing a profile", () => session.run(IMPORT, chosen));
    }
}

async function profile(session: Session): Promise<void> {
    const line = await vscode.window.showInputBox({
        title: "Profile a program",
        prompt: "It is run in the workspace folder, under the profiler, on this machine's GPU",
        placeHolder: "./build/program 4096 100",
        validateInput: (text) => (words(text).length ? undefined : "The program and its arguments"),
    });
    if (line) {
        await working("Profiling", () => session.run(PROFILE, words(line)));
    }
}

async function emulate(session: Session): Promise<void> {
    const line = await vscode.window.showInputBox({
        title: "Emulate a program",
        prompt: "A CUDA source and arguments, or a command that builds and runs the program: it runs in the workspace folder, without a GPU",
        placeHolder: "./program.cu 4096 100",
        validateInput: (text) => (words(text).length ? undefined : "The source or command, and its arguments"),
    });
    if (line) {
        await working("Emulating", () => session.run(EMULATE, words(line)));
    }
}

async function working(title: string, work: () => Promise<unknown>): Promise<void> {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, work);
}

/** A command line as words; quotes keep blanks together. */
export function words(line: string): string[] {
    return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
        ([, double, single, plain]) => double?.replace(/\\(.)/g, "$1") ?? single ?? plain ?? "",
    );
}
