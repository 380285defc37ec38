/**
 * Bundles the operator: `dist/flipop.mjs` and, beside it, the files that it loads only when asked for (the sandbox,
 * the kubeconfig plug-ins). `npm run bundle --workspace operator`
 */
import { chmodSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");

rmSync(DIST, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { flipop: join(HERE, "src/main.ts") },
  outdir: DIST,
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
const executable = join(DIST, "flipop.mjs");
chmodSync(executable, 0o755);
const files = Object.keys(metafile.outputs).filter((file) => file.endsWith(".mjs"));
console.log(`operator/dist/flipop.mjs: ${Math.ceil(statSync(executable).size / 1024)} KB, ${files.length} files`);
