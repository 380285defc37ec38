import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { linkedFiles, withLines } from "../../tools/reference/link-lines.js";

const ROOT = resolve(import.meta.dirname, "../..");
const MOST_FILES = 12;

describe("the tour", () => {
  const page = readFileSync(join(ROOT, "docs/explanation/tour.md"), "utf8");

  it("links to the lines of the declarations; npm run reference corrects them", () => {
    expect(withLines(page, ROOT)).to.equal(page);
  });

  it(`follows one event through ${MOST_FILES} files at most`, () => {
    expect(linkedFiles(page)).to.have.lengthOf.within(8, MOST_FILES);
  });

  it("refuses a link to a name that its file does not declare", () => {
    const link = "[`Absent`](../../operator/src/timings.ts#L1)";
    expect(() => withLines(link, ROOT)).to.throw("operator/src/timings.ts declares no Absent");
  });
});
