import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";

const REPO = resolve(import.meta.dirname, "../..");
const TESTS = "operator/test/";
/** A file of tests, and the titles that are named after it. */
const NAMED = /`([^`]+\.test\.ts)`: ("[^"]+"(?:, "[^"]+")*)/g;
const FOOTNOTE = /^\[\^(\d+)\]: /;

function linesOf(page: string): readonly string[] {
  return readFileSync(resolve(REPO, page), "utf8").split("\n");
}

/** Rows of the tables of a page, without their headers. */
function rows(lines: readonly string[]): readonly string[] {
  const isHeader = (index: number) => /^\| ---/.test(lines[index + 1] ?? "") || /^\| ---/.test(lines[index] ?? "");
  return lines.filter((line, index) => line.startsWith("| ") && !isHeader(index));
}

/** Items of the lists of a page, each on one line. */
function items(lines: readonly string[]): readonly string[] {
  const paragraphs = lines.join("\n").split(/\n(?=- |\n)/);
  return paragraphs.filter((text) => text.startsWith("- ")).map((text) => text.trim().replaceAll(/\s+/g, " "));
}

function textsIn(folder: string, prefix: string) {
  return readdirSync(resolve(REPO, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => [`${prefix}${file}`, readFileSync(resolve(REPO, folder, file), "utf8")] as const);
}

/** What is wrong with the tests that a line names; empty: nothing. */
function missing(line: string, files: ReadonlyMap<string, string>): readonly string[] {
  const named = [...line.matchAll(NAMED)];
  if (named.length === 0) return [`no file and title: ${line}`];
  return named.flatMap(([, file = "", titles = ""]) => {
    const text = files.get(file.startsWith(TESTS) ? file.slice(TESTS.length) : file);
    if (text === undefined) return [`no such file: ${file}`];
    // "..." stands for words that are left out.
    const parts = [...titles.matchAll(/"([^"]+)"/g)].flatMap(([, title = ""]) => title.split("..."));
    // A reader finds no title with a placeholder in the output of the tests.
    const isBad = (part: string) => !text.includes(part.trim()) || part.includes("${");
    return parts.filter(isBad).map((part) => `${file}: ${part}`);
  });
}

describe("the tests that pages name", () => {
  const files = new Map([...textsIn(TESTS, ""), ...textsIn("constructs/test/", "constructs/test/")]);

  it("exist for every row of docs/explanation/security.md", () => {
    const found = rows(linesOf("docs/explanation/security.md"));
    expect(found).to.have.length.greaterThan(10);
    expect(found.flatMap((row) => missing(row, files))).to.deep.equal([]);
  });

  it("exist for the prose of docs/explanation/security.md", () => {
    const prose = linesOf("docs/explanation/security.md").filter((line) => !line.startsWith("| "));
    const text = prose.join(" ").replaceAll(/\s+/g, " ");
    expect([...text.matchAll(NAMED)]).to.have.length.greaterThan(10);
    expect(missing(text, files)).to.deep.equal([]);
  });

  describe("docs/reference/routed-ip.md", () => {
    const lines = linesOf("docs/reference/routed-ip.md");
    const footnotes = lines.filter((line) => FOOTNOTE.test(line));

    it("exist for every footnote", () => {
      expect(footnotes).to.have.length.greaterThan(50);
      expect(footnotes.flatMap((line) => missing(line, files))).to.deep.equal([]);
    });

    it("are in a footnote of every statement", () => {
      const statements = [...items(lines), ...rows(lines)];
      expect(statements).to.have.length.greaterThan(50);
      const markOf = (text: string) => /\[\^(\d+)\](?: \|)?$/.exec(text)?.[1];
      expect(statements.filter((text) => markOf(text) === undefined)).to.deep.equal([]);
      const numbers = footnotes.map((line) => FOOTNOTE.exec(line)?.[1]);
      expect([...new Set(statements.map(markOf))].sort()).to.deep.equal([...numbers].sort());
    });
  });
});
