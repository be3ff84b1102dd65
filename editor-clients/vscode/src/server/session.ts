/** The server's life: started when there is something to say, restarted when settings ask for it. */

import * as vscode from "vscode";
import {
    CodeLensRequest,
    DocumentDiagnosticRequest,
    ExecuteCommandRequest,
    InlayHintRequest,
    State,
    type LanguageClient,
} from "vscode-languageclient/node";

import { mayHoldKernels } from "../documents";
import { analysed } from "../protocol";
import { PROCESS_SETTINGS, SECTION } from "../settings";
import { createClient, type Additions } from "./client";
import { findServer } from "./find";
import { offerInstallation, warnOfAge } from "./firstRun";
import { OLDEST, isOlder } from "./version";

export type Status = "untrusted" | "idle" | "starting" | "running" | "missing" | "stopped";

export class Session implements vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<Status>();
    private readonly analysedEmitter = new vscode.EventEmitter<string>();
    private current: LanguageClient | undefined;
    private queue: Promise<void> = Promise.resolve();
    private toldMissing = "";
    /** The settings of the process that was looked for last. */
    private startedFor = "";
    private state: Status = vscode.workspace.isTrusted ? "idle" : "untrusted";

    readonly onStatus = this.changed.event;
    /** A document's URI, when its newest text was analysed. */
    readonly onAnalysed = this.analysedEmitter.event;

    constructor(
        private readonly extension: vscode.Uri,
        /** The folder of environments that the extension made. */
        private readonly storage: string,
        readonly log: vscode.LogOutputChannel,
        private readonly additions: Additions,
    ) {}

    get status(): Status {
        return this.state;
    }

    /** The connection, while the server runs. */
    get client(): LanguageClient | undefined {
        return this.state === "running" ? this.current : undefined;
    }

    /** The server's version and process id, for those who look for trouble. */
    get about(): string | undefined {
        const info = this.client?.initializeResult?.serverInfo;
        return info && `${info.name} ${info.version ?? ""}`.trim();
    }

    /** Whether the server has a command of this name. */
    can(command: string): boolean {
        return this.commands.includes(command);
    }

    /** The server's commands. */
    get commands(): readonly string[] {
        return this.client?.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
    }

    /** Have the server run one of its commands. */
    async run(command: string, args: unknown[], token?: vscode.CancellationToken): Promise<unknown> {
        return this.client?.sendRequest(ExecuteCommandRequest.type, { command, arguments: args }, token);
    }

    /** Start if some open document may hold kernels and the workspace is trusted. */
    async startIfUseful(): Promise<void> {
        if (this.state === "idle" && vscode.workspace.textDocuments.some(mayHoldKernels)) {
            await this.start();
        }
    }

    /** Start, or start anew. Calls that come close together are done one after the other. */
    async start(): Promise<void> {
        this.queue = this.queue.then(() => this.startNow());
        await this.queue;
    }

    /** A setting of the process may be another one: a workspace that is trusted has all of them told as changed. */
    async settingsChanged(): Promise<void> {
        if (this.startedFor !== processSettings()) {
            await this.start();
        }
    }

    /** Start what was just installed. Ones that are the same as before are told again if they are missing still. */
    async useInstalled(): Promise<void> {
        this.toldMissing = "";
        await this.start();
    }

    /** Look again where there was no server: a person may have installed one elsewhere in the meantime. */
    async lookAgain(): Promise<void> {
        if (this.state === "missing") {
            await this.start();
        }
    }

    /** The workspace is trusted from now on. */
    async trusted(): Promise<void> {
        this.become("idle");
        await this.startIfUseful();
    }

    /** Another interpreter may have a server, or another one. */
    async pythonChanged(): Promise<void> {
        if (this.state !== "idle" && this.state !== "untrusted") {
            await this.start();
        }
    }

    async stop(): Promise<void> {
        const client = this.current;
        this.current = undefined;
        await client?.dispose().catch((error: unknown) => {
            this.log.warn(`while stopping: ${String(error)}`);
        });
    }

    /** Ask again for everything that is shown, after a switch was turned. */
    refresh(): void {
        for (const document of vscode.workspace.textDocuments) {
            const client = this.client;
            client?.getFeature(CodeLensRequest.method).getProvider(document)?.onDidChangeCodeLensEmitter.fire();
            client?.getFeature(InlayHintRequest.method).getProvider(document)?.onDidChangeInlayHints.fire();
            client?.getFeature(DocumentDiagnosticRequest.method).getProvider(document)?.onDidChangeDiagnosticsEmitter.fire();
        }
    }

    dispose(): void {
        this.changed.dispose();
        this.analysedEmitter.dispose();
    }

    private async startNow(): Promise<void> {
        await this.stop();
        if (!vscode.workspace.isTrusted) {
            this.become("untrusted");
            return;
        }
        this.become("starting");
        this.startedFor = processSettings();
        const { found, tried } = await findServer(this.extension, this.storage);
        if (!found) {
            this.become("missing");
            const reasons = tried.join("\n");
            if (this.toldMissing !== reasons) {
                this.toldMissing = reasons;
                void offerInstallation(tried, this.log, this.storage);
            }
            return;
        }
        this.log.info(`server: ${found.command} ${found.args.join(" ")} (${found.origin}), version ${found.version}`);
        if (isOlder(found.version, OLDEST)) {
            void warnOfAge(found);
        }
        const client = (this.current = createClient(found, this.log, this.additions));
        client.onDidChangeState(({ newState }) => {
            if (this.current === client) {
                this.become(newState === State.Running ? "running" : newState === State.Starting ? "starting" : "stopped");
            }
        });
        client.onNotification(analysed, ({ uri }) => {
            this.analysedEmitter.fire(client.protocol2CodeConverter.asUri(uri).toString());
        });
        try {
            await client.start();
        } catch (error) {
            this.log.error(`the server does not start: ${String(error)}`);
            this.become("stopped");
        }
    }

    private become(status: Status): void {
        this.state = status;
        void vscode.commands.executeCommand("setContext", "roofline.running", status === "running");
        this.changed.fire(status);
    }
}

function processSettings(): string {
    const configuration = vscode.workspace.getConfiguration(SECTION);
    return JSON.stringify(PROCESS_SETTINGS.map((name) => configuration.get(name)));
}
