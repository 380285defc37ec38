/** How the operator and the sandbox become files that Node runs without node_modules. */
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

export interface Bundle {
  /** Folder of the workspace. */
  readonly home: string;
  /** Source file of each output, by its name; the first is the executable. */
  readonly entryPoints: Readonly<Record<string, string>>;
  /** Packages that stay imports. @default none */
  readonly external?: readonly string[];
}

/** Bundles into `dist`, or `--outdir`: the entry points, `chunks/` and `metafile.json` (https://esbuild.github.io/analyze). */
export async function bundle({ home, entryPoints, external = [] }: Bundle): Promise<void> {
  const dist = join(home, "dist");
  const { values } = parseArgs({ options: { outdir: { type: "string" } } });
  const outdir = resolve(values.outdir ?? dist);
  // A folder of somebody else's choice may hold more than ours.
  if (outdir === dist) rmSync(dist, { recursive: true, force: true });
  // With every path relative to `home`, and none to a folder of somebody's choice, all checkouts make the same bytes.
  const places = { absWorkingDir: home, outdir: dist, entryPoints, external: [...external] };
  const { metafile, outputFiles } = await build({ ...OPTIONS, ...places });
  for (const { path, contents } of outputFiles) {
    const file = join(outdir, relative(dist, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  const executable = join(outdir, `${Object.keys(entryPoints)[0]}.mjs`);
  chmodSync(executable, 0o755);
  writeFileSync(join(outdir, "metafile.json"), JSON.stringify(metafile));
  const files = Object.keys(metafile.outputs).filter((file) => file.endsWith(".mjs"));
  console.log(`${executable}: ${Math.ceil(statSync(executable).size / 1024)} KB, ${files.length} files`);
}

const OPTIONS = {
  write: false,
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
} as const;
