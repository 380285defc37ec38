/** How the operator and the sandbox become files that Node runs without node_modules. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, type Plugin } from "esbuild";

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
  // The compiled library is CommonJS: each file that imports it would get a copy with a function for each member.
  const alias = { "cdk8s-flipop/api": join(home, "../constructs/src/api/index.ts") };
  const plugins = [builtinsByRequire, withoutUnused];
  const commit = commitOf(home);
  const define = { FLIPOP_COMMIT: JSON.stringify(commit) };
  const { metafile, outputFiles } = await build({ ...OPTIONS, ...places, alias, define, plugins });
  for (const { path, contents } of outputFiles) {
    const file = join(outdir, relative(dist, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  const executable = join(outdir, `${Object.keys(entryPoints)[0]}.mjs`);
  chmodSync(executable, 0o755);
  writeFileSync(join(outdir, "metafile.json"), JSON.stringify({ ...metafile, commit }));
  const files = Object.keys(metafile.outputs).filter((file) => file.endsWith(".mjs"));
  console.log(`${executable}: ${Math.ceil(statSync(executable).size / 1024)} KB, ${files.length} files`);
}

/** For `flipop version` and the label of the image. Sources without Git have no commit. */
function commitOf(home: string): string {
  const args = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
  try {
    return execFileSync("git", args, { cwd: home, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}

/**
 * An `import` of a built-in module reads all its members, and with them modules that nothing uses: since Node 22, `node:http`
 * has members that load a second HTTP client, 17 MB. `require` reads none.
 */
const builtinsByRequire: Plugin = {
  name: "builtins-by-require",
  setup({ onResolve, onLoad }) {
    const names = builtinModules.map((name) => name.replaceAll("/", "\\/")).join("|");
    onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path, kind }) => {
      if (kind !== "import-statement") return { path, external: true };
      return { path: path.replace(/^node:/, ""), namespace: "builtin" };
    });
    onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({ contents: membersOf(path) }));
  },
};

/** A module whose members are read only where something imports them. */
function membersOf(builtin: string): string {
  const members = Object.keys(createRequire(import.meta.url)(`node:${builtin}`) as object).filter(isIdentifier);
  return [
    `const builtin = require("node:${builtin}");`,
    "export default builtin;",
    ...members.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`),
  ].join("\n");
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && name !== "default" && name !== "builtin";
}

/**
 * Parts of packages that load further modules and have no use here: a cluster of workers, a push gateway, traces, log
 * threads, and a URL class for Node versions that have none (node-fetch takes Node's own).
 */
const UNUSED = [
  /[\\/]prom-client[\\/]lib[\\/](cluster|pushgateway)\.js$/,
  /[\\/]@opentelemetry[\\/]api[\\/]dist[\\/]index\.cjs$/,
  /[\\/]thread-stream[\\/]index\.js$/,
  /[\\/]whatwg-url[\\/]lib[\\/]public-api\.js$/,
];

/** Fails where a new release of a package has its part in another file: the bundle would contain it again. */
const withoutUnused: Plugin = {
  name: "without-unused",
  setup({ onLoad, onEnd }) {
    const missing = new Set(UNUSED);
    for (const filter of UNUSED) {
      onLoad({ filter }, () => {
        missing.delete(filter);
        return { contents: "module.exports = {};" };
      });
    }
    onEnd(() => ({
      errors: [...missing].map((file) => ({ text: `nothing imports ${file}: correct UNUSED in bundling.ts` })),
    }));
  },
};

const OPTIONS = {
  write: false,
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  // Short names would save 300 KB, but stack traces need the long ones, and restoring them takes longer at each start.
  minifyWhitespace: true,
  minifySyntax: true,
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
