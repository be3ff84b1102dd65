/** Programs that are run to their end, and what they said. Nothing here knows the editor. */

import { spawn } from "node:child_process";

/** The lines that a message may quote: enough for the reason of a failure, which stands last. */
const TAIL_LINES = 12;

export interface Ended {
    /** The exit status; null where the program could not be started or was ended. */
    status: number | null;
    /** Why it could not be started, such as `ENOENT`. */
    error?: string;
    /** What it wrote last, of both streams. */
    tail: string[];
}

export interface RunOptions {
    cwd: string;
    env?: NodeJS.ProcessEnv;
    signal?: AbortSignal;
    /** Each line as it is written. */
    line?: (text: string) => void;
    /** The most milliseconds that it may take. */
    timeoutMs?: number;
}

/** Run a program without a shell. Never rejects. */
export function runToEnd(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
    return new Promise((resolve) => {
        const lines: string[] = [];
        const child = spawn(command, args, {
            cwd: options.cwd,
            env: options.env ?? process.env,
            stdio: ["ignore", "pipe", "pipe"],
            windowsHide: true,
            ...(options.signal ? { signal: options.signal } : {}),
            ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
        });
        const take = (text: string) => {
            lines.push(text);
            lines.splice(0, lines.length - TAIL_LINES);
            options.line?.(text);
        };
        for (const stream of [child.stdout, child.stderr]) {
            bylines(stream, take);
        }
        child.on("error", (error: NodeJS.ErrnoException) => {
            resolve({ status: null, error: error.code ?? error.message, tail: lines });
        });
        child.on("close", (status) => {
            resolve({ status, tail: lines });
        });
    });
}

function bylines(stream: NodeJS.ReadableStream, take: (text: string) => void): void {
    let rest = "";
    const each = (text: string) => {
        const line = text.trimEnd();
        if (line) {
            take(line);
        }
    };
    stream.setEncoding("utf-8");
    stream.on("data", (data: string) => {
        const lines = (rest + data).split(/\r\n|\r|\n/);
        rest = lines.pop() ?? "";
        lines.forEach(each);
    });
    stream.on("end", () => {
        each(rest);
    });
}
