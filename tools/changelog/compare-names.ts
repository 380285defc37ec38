/**
 * `npm run names -- COMMIT`: the names that users write or read (fields, conditions, reasons, Events, metrics, flags, pages)
 * that only COMMIT has, and those that it does not have. The changelog must mention each removed name.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as api from "cdk8s-flipop/api";
import { type Api, difference, type Names, namesOf } from "./public-names.js";

const ROOT = resolve(import.meta.dirname, "../..");
const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error("name the commit or tag to compare with: npm run names -- v0.2.0");
const before = { ...namesOf(await apiOf(commit)), pages: pagesOf(commit) };
for (const line of difference(before, { ...namesOf(api), pages: pagesOf("HEAD") })) console.log(line);

/** The type model of a commit. It imports nothing, so its sources suffice. */
async function apiOf(commit: string): Promise<Api> {
  const folder = mkdtempSync(join(tmpdir(), "flipop-names-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const archive = join(folder, "api.tar");
  execFileSync("git", ["archive", "-o", archive, commit, "constructs/src/api"], { cwd: ROOT });
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  return (await import(pathToFileURL(join(folder, "constructs/src/api/index.ts")).href)) as Api;
}

function pagesOf(commit: string): Names[string] {
  const files = execFileSync("git", ["ls-tree", "-r", "--name-only", commit, "docs"], { cwd: ROOT, encoding: "utf8" });
  return files.trimEnd().split("\n");
}
