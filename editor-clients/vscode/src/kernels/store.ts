/** The kernels of the workspace: reports of all files that hold some, kept as they change. */

import * as vscode from "vscode";
import { type LanguageClient } from "vscode-languageclient/node";

import { kernelFilesRequest, reportRequest, type Report } from "../protocol";
import { type Session } from "../server/session";
import { SECTION, SERVER_SETTINGS } from "../settings";
import { plain } from "../text";
import { joined, slim, type WorkspaceKernel } from "./listing";

/** The most files that are analysed; a sentence says so where there are more. */
export const MOST_FILES = 5_000;
/** From so many files on, progress is a notification with a button that ends it. */
const MANY_FILES = 30;
const TOLD_EVERY_MS = 400;
const QUIET_MS = 300;
const SOURCES = "**/*.{cu,cuh,hip,cl,c,cc,cpp,cxx,h,hh,hpp,hxx,inl,py}";

export type Reading = "not asked" | "reading" | "read" | "cancelled";

export class KernelStore implements vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    private readonly disposables: { dispose: () => unknown }[];
    private readonly reports = new Map<string, Report>();
    private readonly viewers = new Set<() => boolean>();
    private files: string[] = [];
    private missing: string[] = [];
    private problems: string[] = [];
    private state: Reading = "not asked";
    private present: vscode.CancellationTokenSource | undefined;
    private later: NodeJS.Timeout | undefined;

    /** Fired while files are read, at most a few times a second, and when a kernel changes. */
    readonly onDidChange = this.changed.event;

    constructor(private readonly session: Session) {
        const watcher = vscode.workspace.createFileSystemWatcher(SOURCES);
        const soon = () => {
            this.readSoon();
        };
        this.disposables = [
            this.changed,
            watcher,
            watcher.onDidCreate(soon),
            watcher.onDidDelete(soon),
            watcher.onDidChange((uri) => {
                if (!vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString())) {
                    void this.readAgain(uri.toString());
                }
            }),
            session.onAnalysed((uri) => void this.readAgain(uri)),
            session.onStatus((status) => {
                if (status === "running") {
                    this.readSoon();
                } else {
                    this.changed.fire();
                }
            }),
            vscode.workspace.onDidChangeConfiguration((event) => {
                if (SERVER_SETTINGS.some((name) => event.affectsConfiguration(`${SECTION}.${name}`))) {
                    this.readSoon();
                }
            }),
        ];
    }

    get reading(): Reading {
        return this.state;
    }

    /** How many files have kernels. */
    get fileCount(): number {
        return this.reports.size;
    }

    /** Each kernel once, where it is defined. */
    get kernels(): WorkspaceKernel[] {
        return [...this.reports].flatMap(([uri, report]) =>
            report.files.flatMap((file) =>
                file.kernels.filter((kernel) => kernel.path === file.path).map((kernel) => ({ kernel, uri, gpu: report.gpu.name })),
            ),
        );
    }

    /** All of it as one report; null where there is no kernel. */
    get report(): Report | null {
        return joined([...this.reports.values()]);
    }

    /** What is left out and why, a sentence each. */
    get notes(): string[] {
        const notes: string[] = [];
        if (this.files.length > MOST_FILES) {
            notes.push(`${MOST_FILES} of ${this.files.length} files with kernels are shown: open a smaller folder, or exclude some.`);
        }
        if (this.state === "cancelled") {
            notes.push(`Reading was ended after ${this.reports.size} of ${this.files.length} files.`);
        }
        if (this.missing.length) {
            const names = this.missing.slice(0, 3).map((uri) => uri.split("/").at(-1) ?? uri);
            const more = this.missing.length > names.length ? " ..." : "";
            notes.push(plain(`Not analysed in time: ${names.join(", ")}${more} (${this.missing.length}).`));
        }
        if (this.problems.length) {
            const more = this.problems.length > 1 ? ` (and ${this.problems.length - 1} more)` : "";
            notes.push(plain(`${this.problems[0] ?? ""}${more}.`));
        }
        return notes;
    }

    /** Tell of somebody who shows the kernels, and whether they are in sight now. */
    shownBy(inSight: () => boolean): vscode.Disposable {
        this.viewers.add(inSight);
        return new vscode.Disposable(() => { this.viewers.delete(inSight); });
    }

    /** Read the workspace unless that was done or is under way. */
    async need(): Promise<void> {
        if (this.state === "not asked") {
            await this.read();
        }
    }

    /** Read the workspace from the beginning. */
    async read(): Promise<void> {
        const client = this.session.client;
        if (!client) {
            return;
        }
        this.present?.cancel();
        const mine = (this.present = new vscode.CancellationTokenSource());
        this.state = "reading";
        this.changed.fire();
        try {
            const told = await client.sendRequest(kernelFilesRequest, {}, mine.token);
            this.files = told.files.map((uri) => client.protocol2CodeConverter.asUri(uri).toString());
            [this.problems, this.missing] = [told.problems, []];
        } catch (error) {
            this.session.log.debug(`no list of files: ${String(error)}`); // as while the server ends
        }
        if (this.present === mine) {
            await this.readFiles(client, mine);
        }
    }

    dispose(): void {
        clearTimeout(this.later);
        this.present?.cancel();
        vscode.Disposable.from(...this.disposables).dispose();
    }

    private async readFiles(client: LanguageClient, mine: vscode.CancellationTokenSource): Promise<void> {
        const uris = this.files.slice(0, MOST_FILES);
        const wanted = new Set(uris);
        [...this.reports.keys()].filter((uri) => !wanted.has(uri)).forEach((uri) => this.reports.delete(uri));
        const many = uris.length >= MANY_FILES && !uris.every((uri) => this.reports.has(uri));
        const where = many ? vscode.ProgressLocation.Notification : vscode.ProgressLocation.Window;
        await vscode.window.withProgress({ location: where, title: "Roofline: reading kernels", cancellable: many }, async (progress, token) => {
            token.onCancellationRequested(() => { mine.cancel(); });
            let told = Date.now();
            for (const [at, uri] of uris.entries()) {
                if (mine.token.isCancellationRequested) {
                    break;
                }
                progress.report({ message: `${at + 1} of ${uris.length} files`, increment: 100 / uris.length });
                this.take(uri, await this.ask(client, uri, mine.token), mine);
                if (Date.now() - told > TOLD_EVERY_MS) {
                    told = Date.now();
                    this.changed.fire();
                }
            }
        });
        if (this.present === mine) {
            this.state = mine.token.isCancellationRequested ? "cancelled" : "read";
            this.changed.fire();
        }
    }

    private ask(client: LanguageClient, uri: string, token?: vscode.CancellationToken): Promise<Report | null> {
        const textDocument = { uri: client.code2ProtocolConverter.asUri(vscode.Uri.parse(uri)) };
        return client.sendRequest(reportRequest, { textDocument }, token).catch(() => null);
    }

    private take(uri: string, report: Report | null, mine: vscode.CancellationTokenSource): void {
        if (report) {
            this.reports.set(uri, slim(report));
        } else if (!mine.token.isCancellationRequested) {
            this.reports.delete(uri);
            this.missing.push(uri);
        }
    }

    /** A document was analysed: its kernels may have changed. */
    private async readAgain(uri: string): Promise<void> {
        const client = this.session.client;
        if (this.state === "not asked" || !client) {
            return;
        }
        const report = await this.ask(client, uri);
        const holds = report?.files.some((file) => file.kernels.length > 0);
        if (report && (holds || this.reports.has(uri))) {
            this.reports.set(uri, slim(report));
            this.changed.fire();
        }
    }

    /** Settings or files changed, often several at once. Where nobody looks it is read when somebody does. */
    private readSoon(): void {
        clearTimeout(this.later);
        if (this.state === "not asked") {
            return;
        }
        this.later = setTimeout(() => {
            if ([...this.viewers].some((inSight) => inSight())) {
                void this.read();
            } else {
                this.present?.cancel();
                this.present = undefined;
                this.state = "not asked";
            }
        }, QUIET_MS);
    }
}
