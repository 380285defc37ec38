import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";

const REPO = resolve(import.meta.dirname, "../../../..");
const TESTS = "operator/test/";
/** A file of tests, and the titles that are named after it. */
const NAMED = /`([^`]+\.test\.ts)`: ("[^"]+"(?:, "[^"]+")*)/g;

/** Rows of the tables of a page, but for their headers. */
function rows(page: string): readonly string[] {
  const lines = readFileSync(resolve(REPO, page), "utf8").split("\n");
  const isHeader = (index: number) => /^\| ---/.test(lines[index + 1] ?? "") || /^\| ---/.test(lines[index] ?? "");
  return lines.filter((line, index) => line.startsWith("| ") && !isHeader(index));
}

/** What is wrong with the tests that a row names; empty: nothing. */
function missing(row: string, files: ReadonlyMap<string, string>): readonly string[] {
  const named = [...row.matchAll(NAMED)];
  if (named.length === 0) return [`no file and title: ${row}`];
  return named.flatMap(([, file = "", titles = ""]) => {
    const text = files.get(file.startsWith(TESTS) ? file.slice(TESTS.length) : file);
    if (text === undefined) return [`no such file: ${file}`];
    // "..." stands for words that are left out.
    const parts = [...titles.matchAll(/"([^"]+)"/g)].flatMap(([, title = ""]) => title.split("..."));
    return parts.filter((part) => !text.includes(part.trim())).map((part) => `${file}: ${part}`);
  });
}

describe("the pages on RoutedIP", () => {
  /** @param prefix of the names of a folder's files. */
  const textsIn = (folder: string, prefix: string) =>
    readdirSync(resolve(REPO, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => [`${prefix}${file}`, readFileSync(resolve(REPO, folder, file), "utf8")] as const);
  const files = new Map([...textsIn(TESTS, ""), ...textsIn("constructs/test/", "constructs/test/")]);

  for (const page of ["docs/reference/routedip-coverage.md", "docs/explanation/security.md"]) {
    it(`${page} names tests that exist, in every line`, () => {
      expect(rows(page)).to.have.length.greaterThan(10);
      expect(rows(page).flatMap((row) => missing(row, files))).to.deep.equal([]);
    });
  }
});
