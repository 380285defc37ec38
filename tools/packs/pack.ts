import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { otherPages, writeOtherPages } from "../library/api-md.js";
import { withPackageFolder } from "../library/assembly.js";
import { buildIfStale } from "../library/build-if-stale.js";
import { CONSTRUCTS, MAVEN_REPOSITORY, PACKS, ROOT } from "./paths.js";
import { pythonEnvironment } from "./python-environment.js";
import { withDictionariesInLists } from "./python-structs.js";
import { run } from "./run-command.js";
import type { Language } from "./toolchains.js";

/** Translations of the snippets, so that each package page has snippets in its language. */
const TABLET = join(PACKS, "snippets.tabl.json");

const PACMAK = join(ROOT, "node_modules/jsii-pacmak");

/** What the packages of all languages contain, and the tools that pack them. */
const INPUTS = [
  ...[".jsii", "lib", "bin", "package.json", "README.md", "API.md", "LICENSE"].map((name) => join(CONSTRUCTS, name)),
  join(ROOT, "package-lock.json"),
  join(import.meta.dirname, "python-structs.ts"),
];

/**
 * Packs the compiled library for one language into `constructs/dist/LANGUAGE`, unless that is up to date. For Go and Java
 * it also packs cdk8s, because some mirrors of their registries lack cdk8s and the apps must run from local packages.
 */
export function pack(language: Language): void {
  requireCompiled();
  // Maven never updates a version in its local repository, and another checkout may have put its own there.
  for (const module of language === "java" ? ["io/github/flipop", "org/cdk8s"] : []) {
    rmSync(join(MAVEN_REPOSITORY, module), { recursive: true, force: true });
  }
  buildIfStale({
    inputs: INPUTS,
    outputs: [join(PACKS, language), ...(language === "js" ? otherPages() : [])],
    stamp: join(ROOT, "node_modules/.cache/flipop", `pack-${language}`),
    run: () => runPacmak(language),
  });
}

function runPacmak(language: Language): void {
  if (!existsSync(TABLET)) translateSnippets();
  if (language === "js") writeOtherPages(TABLET);
  rmSync(join(PACKS, language), { recursive: true, force: true });
  if (language === "python") packPython();
  else pacmak(language, PACKS, [...(MORE_OPTIONS[language]?.() ?? []), CONSTRUCTS]);
}

/** Arguments of pacmak in addition to the usual ones. */
const MORE_OPTIONS: Readonly<Partial<Record<Language, () => readonly string[]>>> = {
  go: localModules,
  java: () => ["--maven-local-repository", MAVEN_REPOSITORY, ...localModules()],
};

function pacmak(language: Language, outdir: string, more: readonly string[]): void {
  const options = ["--target", language, "--outdir", outdir, "--rosetta-tablet", TABLET, "--no-npmignore", "--force"];
  run(join(ROOT, "node_modules/.bin/jsii-pacmak"), [...options, ...more], { cwd: CONSTRUCTS });
}

/** Builds the package with the tools that pacmak uses, after a change of pacmak's code. */
function packPython(): void {
  const outdir = mkdtempSync(join(tmpdir(), "flipop-python-"));
  try {
    pacmak("python", outdir, ["--code-only", CONSTRUCTS]);
    const code = join(outdir, "python");
    const module = join(code, "src/cdk8s_flipop/__init__.py");
    writeFileSync(module, withDictionariesInLists(readFileSync(module, "utf8")));
    const tools = readFileSync(join(PACMAK, "lib/targets/python/requirements-dev.txt"), "utf8");
    const python = join(pythonEnvironment(tools.match(/^\w[^#\n]*/gm) ?? []), "bin/python");
    run(python, ["-m", "build", "--outdir", join(PACKS, "python"), code]);
    run(python, ["-m", "twine", "check", packedFile("python", ".whl"), packedFile("python", ".tar.gz")]);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/**
 * Compiles every snippet of the README and the docstrings, and translates them. It throws if one does not compile.
 *
 * @param readme the README; by default that of the library
 */
export function translateSnippets(readme?: string): void {
  requireCompiled();
  const rosetta = join(CONSTRUCTS, "node_modules/.bin/jsii-rosetta");
  mkdirSync(PACKS, { recursive: true });
  rmSync(TABLET, { force: true });
  // rosetta also writes translations beside the assembly; the temporary folder keeps them out of the repo.
  withPackageFolder(
    (folder) => {
      run(rosetta, ["extract", "--compile", "--fail", "--directory", CONSTRUCTS, "--cache-to", TABLET, folder]);
    },
    { readme },
  );
}

/** The only packed file of a language with this ending. */
export function packedFile(language: Language, ending: string): string {
  const folder = join(PACKS, language);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(ending)) : [];
  const [file] = files;
  if (file === undefined || files.length > 1) {
    throw new Error(`${files.length} files *${ending} in ${folder}, expected one: pack for ${language} first`);
  }
  return join(folder, file);
}

/** jsii modules that the library depends on, except constructs, which the registries of all languages have. */
function localModules(): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(CONSTRUCTS, "package.json"), "utf8")) as Manifest;
  const modules = Object.keys(manifest.peerDependencies).filter((name) => name !== "constructs");
  return modules.map((name) => join(ROOT, "node_modules", name));
}

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
}

function requireCompiled(): void {
  if (!existsSync(join(CONSTRUCTS, ".jsii"))) throw new Error("the library is not compiled: npm run compile");
}
