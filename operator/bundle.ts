/**
 * `tsx bundle.ts [--outdir DIR]` bundles the operator into `dist` (or DIR): `flipop.mjs`, the executable; `sandbox.mjs`
 * and `chunks/`, which it loads only when asked for; `metafile.json`, what is inside (https://esbuild.github.io/analyze).
 * With the folder alone it runs anywhere: Node and no node_modules.
 */
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");

const { values } = parseArgs({ options: { outdir: { type: "string" } } });
const outdir = resolve(values.outdir ?? DIST);
// A folder of somebody else's choice may hold more than ours.
if (outdir === DIST) rmSync(DIST, { recursive: true, force: true });
const { metafile, outputFiles } = await build({
  // With every path relative to HERE, and none to a folder of somebody's choice, all checkouts make the same bytes.
  absWorkingDir: HERE,
  outdir: DIST,
  write: false,
  // The sandbox is an entry of its own so that it gets a file of its own; main.ts imports it when asked for.
  entryPoints: { flipop: "src/main.ts", sandbox: "src/sandbox/sandbox.ts" },
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  keepNames: true,
  sourcemap: "linked",
  format: "esm",
  platform: "node",
  target: "node20.19",
  legalComments: "linked",
  metafile: true,
  // CommonJS dependencies call require(), which an ES module does not have.
  banner: {
    js: [
      "#!/usr/bin/env node",
      'import { createRequire as flipopRequire } from "node:module";',
      "const require = flipopRequire(import.meta.url);",
    ].join("\n"),
  },
});
for (const { path, contents } of outputFiles) {
  const file = join(outdir, relative(DIST, path));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, contents);
}
const executable = join(outdir, "flipop.mjs");
chmodSync(executable, 0o755);
writeFileSync(join(outdir, "metafile.json"), JSON.stringify(metafile));
const files = Object.keys(metafile.outputs).filter((file) => file.endsWith(".mjs"));
console.log(`${executable}: ${Math.ceil(statSync(executable).size / 1024)} KB, ${files.length} files`);
