// Bundles the extension, the panel's page and the tests, and takes the walkthrough's pictures from the documentation.
// `node esbuild.mjs --tests` adds the tests.
import { copyFileSync } from "node:fs";

import { build } from "esbuild";

const common = { bundle: true, minify: true, sourcemap: false, logLevel: "warning", legalComments: "none" };
const node = { ...common, platform: "node", format: "cjs", target: "node20", external: ["vscode"] };

await build({ ...node, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js" });
await build({
    ...common,
    platform: "browser",
    format: "iife",
    target: "es2022",
    entryPoints: ["src/webview/panel.ts"],
    outfile: "dist/panel.js",
});
for (const name of ["hover-dark", "hover-light", "panel-dark", "panel-light"]) {
    copyFileSync(`../../docs/images/${name}.png`, `media/walkthrough/${name}.png`);
}
if (process.argv.includes("--tests")) {
    await build({ ...node, minify: false, entryPoints: ["test/run.ts"], outfile: "out/test/run.js" });
    // What knows no editor is tested without one.
    const modules = ["src/server/environment.ts", "src/kernels/listing.ts", "src/features/explanationOutline.ts", "src/webview/trails.ts", "src/webview/filter.ts", "src/webview/pdf.ts"];
    await build({ ...node, minify: false, format: "esm", outExtension: { ".js": ".mjs" }, entryPoints: modules, outdir: "out/modules", outbase: "src" });
}
