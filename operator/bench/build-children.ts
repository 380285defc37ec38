import { join } from "node:path";
import { build } from "esbuild";

const CHILDREN = [
  "stand-in",
  "ours",
  "library",
  "events",
  "router",
  "service",
  "client",
  "listener",
  "probes",
] as const;
export type Child = (typeof CHILDREN)[number];

/** Bundles the measured processes, as the image carries the operator: a loader of TypeScript would be measured, too. */
export async function buildChildren(outdir: string): Promise<(child: Child) => string> {
  await build({
    entryPoints: Object.fromEntries(
      CHILDREN.map((child) => [child, join(import.meta.dirname, `children/${child}.ts`)]),
    ),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "error",
    banner: {
      js: 'import { createRequire as benchRequire } from "node:module";\nconst require = benchRequire(import.meta.url);',
    },
  });
  return (child) => join(outdir, `${child}.mjs`);
}
