/**
 * `npm run changelog` prints the commits since the last release. `--write` adds them to the section of the version in
 * CHANGELOG.md, and creates the section if there is none. `--section` prints the section, for the release's page.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { RELEASE, VERSIONS } from "../../projenrc/versions.js";
import { sectionOf, withCommits } from "./changelog.js";

const ROOT = resolve(import.meta.dirname, "../..");
const FILE = resolve(ROOT, "CHANGELOG.md");
const { values: options } = parseArgs({ options: { write: { type: "boolean" }, section: { type: "boolean" } } });

if (options.section) console.log(sectionOf(readFileSync(FILE, "utf8"), RELEASE));
else if (options.write) writeFileSync(FILE, withCommits(readFileSync(FILE, "utf8"), release()));
else console.log(commitsSinceRelease());

function release(): Parameters<typeof withCommits>[1] {
  const date = new Date().toISOString().slice(0, 10);
  // The commits of the first release are the whole history, which is too long to read.
  return { version: RELEASE, date, commits: hasReleases() ? commitsSinceRelease() : "" };
}

function hasReleases(): boolean {
  return execFileSync("git", ["tag", "--list", "v[0-9]*"], { cwd: ROOT, encoding: "utf8" }).trim() !== "";
}

/** npm downloads git-cliff on demand. */
function commitsSinceRelease(): string {
  const cliff = ["exec", "--yes", `--package=git-cliff@${VERSIONS.gitCliff}`, "--", "git-cliff"];
  const settings = ["--config", "cliff.toml", "--unreleased"];
  return execFileSync("npm", [...cliff, ...settings], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}
