import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transpileDeclaration } from "typescript";
import { licencesOf, type Metafile } from "./licences.js";
import { ROOT } from "./paths.js";
import { run } from "./run-command.js";

const SANDBOX = join(ROOT, "sandbox");

/** Folder of the packed sandbox. */
export const SANDBOX_PACK = join(SANDBOX, "dist/npm");

/** Sources whose types users see, by the name of their declarations. */
const DECLARATIONS = { testing: "src/simulate/index.ts", options: "src/simulate/options.ts" } as const;

/**
 * Packs the sandbox for npm: the bundle, which contains the operator and all dependencies, and the types of
 * `flipop-sandbox/testing`. Returns the path of the package.
 */
export function packSandbox(): string {
  rmSync(SANDBOX_PACK, { recursive: true, force: true });
  mkdirSync(SANDBOX_PACK, { recursive: true });
  run(join(ROOT, "node_modules/.bin/tsx"), ["bundle.ts", "--outdir", SANDBOX_PACK], { cwd: SANDBOX });
  for (const [name, source] of Object.entries(DECLARATIONS)) {
    const { outputText } = transpileDeclaration(readFileSync(join(SANDBOX, source), "utf8"), { fileName: source });
    writeFileSync(join(SANDBOX_PACK, `${name}.d.mts`), outputText.replaceAll('"./options.js"', '"./options.mjs"'));
  }
  for (const file of ["README.md", "LICENSE"]) copyFileSync(join(SANDBOX, file), join(SANDBOX_PACK, file));
  writeFileSync(join(SANDBOX_PACK, "package.json"), `${JSON.stringify(manifest(), undefined, 2)}\n`);
  const metafile = join(SANDBOX_PACK, "metafile.json");
  writeFileSync(
    join(SANDBOX_PACK, "THIRD_PARTY_LICENSES.txt"),
    licencesOf(JSON.parse(readFileSync(metafile, "utf8")) as Metafile),
  );
  rmSync(metafile);
  const [{ filename }] = JSON.parse(run("npm", ["pack", "--json"], { cwd: SANDBOX_PACK })) as [{ filename: string }];
  return join(SANDBOX_PACK, filename);
}

/** The manifest of the workspace without what only a checkout needs. */
function manifest(): object {
  const own = JSON.parse(readFileSync(join(SANDBOX, "package.json"), "utf8")) as Readonly<Record<string, unknown>>;
  const kept = [
    "name",
    "version",
    "description",
    "repository",
    "author",
    "license",
    "engines",
    "publishConfig",
    "type",
  ];
  return {
    homepage: "https://github.com/flipop/flipop/tree/main/sandbox#readme",
    bugs: "https://github.com/flipop/flipop/issues",
    keywords: ["cdk8s", "kubernetes", "flipop", "simulation", "testing"],
    ...Object.fromEntries(Object.entries(own).filter(([field]) => kept.includes(field))),
    bin: { "flipop-sandbox": "./flipop-sandbox.mjs" },
    exports: {
      ".": "./cli.mjs",
      "./testing": { types: "./testing.d.mts", default: "./testing.mjs" },
      "./package.json": "./package.json",
    },
    // Source maps are for a checkout.
    files: ["*.mjs", "*.d.mts", "*.txt", "chunks/*.mjs", "chunks/*.LEGAL.txt"],
  };
}
