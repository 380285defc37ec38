import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../packs/paths.js";
import { run } from "../packs/run-command.js";

/** Versions of the library's peers. */
export interface Peers {
  readonly cdk8s: string;
  readonly constructs: string;
  /** Other packages, by name. */
  readonly others?: Readonly<Record<string, string>>;
}

/** A folder with the packed library and some versions of its peers. */
export interface Installation {
  readonly folder: string;
  remove(): void;
}

const APP = join(import.meta.dirname, "app.cjs");

/** Installs the packed library with these peers. npm checks the peer ranges if `strict` is set. */
export function install(tarball: string, { cdk8s, constructs, others = {} }: Peers, strict: boolean): Installation {
  const folder = mkdtempSync(join(tmpdir(), "flipop-peers-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const dependencies = { "cdk8s-flipop": `file:${tarball}`, cdk8s, constructs, ...others };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "peers", private: true, dependencies }));
    const options = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "--no-package-lock"];
    run("npm", ["install", ...options, ...(strict ? [] : ["--legacy-peer-deps"])], { cwd: folder });
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Runs an app in an installation; returns what it wrote, by file. */
export function synthesise({ folder }: Installation, app: string = APP): ReadonlyMap<string, string> {
  const outdir = join(folder, "dist");
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir);
  cpSync(app, join(folder, "app.cjs"));
  run(process.execPath, ["--no-warnings", "app.cjs"], { cwd: folder, env: { CDK8S_OUTDIR: outdir } });
  return filesIn(outdir);
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder).sort();
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

/** What the app writes with the library and the peers of this repository. */
export function expected(): ReadonlyMap<string, string> {
  const outdir = mkdtempSync(join(tmpdir(), "flipop-peers-"));
  try {
    run(process.execPath, ["--no-warnings", APP], { cwd: ROOT, env: { CDK8S_OUTDIR: outdir } });
    return filesIn(outdir);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** Whether the app writes the same manifests with these peers, whatever the library declares. */
export function passes(tarball: string, peers: Peers, wanted: ReadonlyMap<string, string>): boolean {
  let installation: Installation | undefined;
  try {
    installation = install(tarball, peers, false);
    const written = synthesise(installation);
    // The command reads YAML with a part of cdk8s.
    run(join(installation.folder, "node_modules/.bin/cdk8s-flipop"), ["validate", join(installation.folder, "dist")]);
    return [...wanted].every(([file, text]) => written.get(file) === text) && written.size === wanted.size;
  } catch {
    return false;
  } finally {
    installation?.remove();
  }
}

/** The first version that passes, if every later one does too: a binary search. */
export function oldest(versions: readonly string[], test: (version: string) => boolean): string | undefined {
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (test(versions[middle] ?? "")) high = middle;
    else low = middle + 1;
  }
  return versions[low];
}

/** The releases of a package with this major version, oldest first. */
export function releases(name: string, major: number): readonly string[] {
  const all = JSON.parse(run("npm", ["view", name, "versions", "--json"])) as string[];
  const own = all.filter((version) => new RegExp(`^${major}\\.\\d+\\.\\d+$`).test(version));
  return own.sort((one, other) => one.localeCompare(other, undefined, { numeric: true }));
}
