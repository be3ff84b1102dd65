/** The entry that VS Code's extension host calls. */

import "./trust.test";
import "./editing.test";
import "./figures.test";
import "./kernels.test";
import "./profiles.test";
import "./rules.test";
import "./sizes.test";
import "./server.test";

import { runAll } from "./harness";

export async function run(): Promise<void> {
    await runAll();
}
