/**
 * `tsx bundle.ts [--outdir DIR]` bundles the sandbox, and the operator that it plays with, into `dist` (or DIR):
 * `flipop-sandbox.mjs`, the executable; `cli.mjs`, which `flipop sandbox` imports; `testing.mjs`, which tests of apps import;
 * `metafile.json`, what is inside.
 */
import { bundle } from "flipop-operator/bundling";

await bundle({
  home: import.meta.dirname,
  entryPoints: { "flipop-sandbox": "src/main.ts", cli: "src/cli.ts", testing: "src/simulate/index.ts" },
});
