/** Pages for contributors name files of the code. A file that moves takes its name in the pages along. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";

const ROOT = resolve(import.meta.dirname, "../..");
const PAGES = /^(CONTRIBUTING\.md|docs\/(adr|explanation)\/[^/]+\.md)$/;
/** The bundler writes these. */
const BUILT = /\/dist\//;

function tracked(): readonly string[] {
  return execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n");
}

describe("the files that pages for contributors name", () => {
  const files = tracked();
  for (const page of files.filter((file) => PAGES.test(file))) {
    it(`exist for ${page}`, () => {
      const text = readFileSync(resolve(ROOT, page), "utf8");
      const names = [...text.matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, name = ""]) => name);
      const missing = names.filter(
        (name) => !BUILT.test(name) && !files.some((file) => `/${file}`.endsWith(`/${name}`)),
      );
      expect(missing).to.deep.equal([]);
    });
  }
});
