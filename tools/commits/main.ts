/** Checks commit messages: `main.ts --file FILE` for the Git hook, `main.ts BASE` for all commits since BASE. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { messageProblems } from "./rules.js";

const SEPARATOR = "\u0000";

function messages([first, second]: readonly string[]): readonly string[] {
  if (first === "--file" && second !== undefined) return [readFileSync(second, "utf8")];
  const range = `${first ?? "origin/main"}..HEAD`;
  const text = execFileSync("git", ["log", "--format=%B%x00", "--no-merges", range], { encoding: "utf8" });
  return text
    .split(SEPARATOR)
    .map((message) => message.trim())
    .filter((message) => message !== "");
}

const problems = messages(process.argv.slice(2)).flatMap((message) =>
  messageProblems(message).map((problem) => `${message.split("\n")[0]}\n  ${problem}`),
);
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\nCONTRIBUTING.md describes the form of commit messages.\n`);
  process.exitCode = 1;
}
