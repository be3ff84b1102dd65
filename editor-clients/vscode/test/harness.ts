/** As much of a test runner as tests inside the editor need. */

const tests: [string, () => Promise<void>][] = [];

export function test(name: string, run: () => Promise<void>): void {
    tests.push([name, run]);
}

/** Run all tests in order. Throws if one fails, after all were run. */
export async function runAll(): Promise<void> {
    let failed = 0;
    for (const [name, run] of tests) {
        try {
            await withLimit(run(), 60_000);
            console.log(`ok ${name}`);
        } catch (error) {
            failed += 1;
            console.log(`not ok ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        }
    }
    console.log(`${tests.length - failed} passed, ${failed} failed`);
    if (failed) {
        throw new Error(`${failed} tests failed`);
    }
}

function withLimit(work: Promise<void>, milliseconds: number): Promise<void> {
    return Promise.race([
        work,
        new Promise<void>((_, reject) => {
            setTimeout(() => { reject(new Error(`no end after ${milliseconds / 1000} s`)); }, milliseconds);
        }),
    ]);
}

/** Ask again until the answer will do, and give it. */
export async function until<T>(ask: () => T | PromiseLike<T>, good: (value: T) => boolean, what: string): Promise<T> {
    const end = Date.now() + 30_000;
    for (;;) {
        const value = await ask();
        if (good(value)) {
            return value;
        }
        if (Date.now() > end) {
            throw new Error(`${what}: still ${JSON.stringify(value).slice(0, 400)}`);
        }
        await new Promise((resume) => { setTimeout(resume, 50); });
    }
}
