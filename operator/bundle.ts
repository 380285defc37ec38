/**
 * `tsx bundle.ts [--outdir DIR]` bundles the operator into `dist` (or DIR): `flipop.mjs`, the executable; `chunks/`, which
 * it loads only when asked for; `metafile.json`, what is inside. With the folder alone it runs anywhere that has Node.
 */
import { bundle } from "./bundling.js";

await bundle({
  home: import.meta.dirname,
  entryPoints: { flipop: "src/main.ts" },
  // `flipop sandbox` looks for it where the executable is installed.
  external: ["flipop-sandbox"],
});
