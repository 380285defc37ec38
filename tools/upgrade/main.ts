/** Upgrades the versions in projenrc/versions.ts, as far as they are compatible. `npm run upgrade`; then `npx projen`. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Outdated, upgradeVersions } from "./versions.js";

const FILE = resolve(import.meta.dirname, "../../projenrc/versions.ts");

/** npm's result, by the package's name. A package of several workspaces has a list. */
type Found = Readonly<Record<string, Entry | readonly Entry[]>>;
type Entry = Pick<Outdated, "current" | "latest">;

// npm exits with 1 if any package is outdated.
const { stdout } = spawnSync("npm", ["outdated", "--json", "--workspaces", "--include-workspace-root"], {
  encoding: "utf8",
});
const found = Object.entries(JSON.parse(stdout || "{}") as Found).flatMap(([name, entries]) => {
  const [first] = [entries].flat() as readonly Entry[];
  return first === undefined ? [] : [{ name, current: first.current, latest: first.latest }];
});
const { text, upgraded, left } = upgradeVersions(readFileSync(FILE, "utf8"), found);
writeFileSync(FILE, text);
for (const { name, current, latest } of upgraded) process.stdout.write(`${name} ${current} -> ${latest}\n`);
for (const line of left) process.stdout.write(`left: ${line}\n`);
