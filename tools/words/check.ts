import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SOURCE_FOLDERS } from "../numbers/imports.js";
import { piecesOf } from "./pieces.js";
import { type Finding, findingsIn } from "./rules.js";

const ROOT = resolve(import.meta.dirname, "../..");
/** Generated from docstrings and commits, which are checked at their source; and the rules themselves. */
const SKIPPED = ["constructs/API.md", "CHANGELOG.md", "tools/words/rules.ts"];

/** Every banned construction, by file. */
export function allFindings(): ReadonlyMap<string, readonly Finding[]> {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md", "*.ts"];
  const files = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(isChecked);
  const found = files.map((file) => [file, findingsOf(file)] as const);
  return new Map(found.filter(([, findings]) => findings.length > 0));
}

function isChecked(file: string): boolean {
  if (SKIPPED.includes(file)) return false;
  return (
    file.endsWith(".md") ||
    [...SOURCE_FOLDERS, "operator/bench", "examples"].some((folder) => file.startsWith(`${folder}/`))
  );
}

function findingsOf(file: string): readonly Finding[] {
  try {
    return findingsIn(piecesOf(file, readFileSync(join(ROOT, file), "utf8")));
  } catch (error) {
    // Deleted, and not committed yet.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
