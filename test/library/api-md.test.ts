import { readFileSync } from "node:fs";
import { expect } from "chai";
import { describe, it } from "mocha";
import { API_MD, apiMd } from "../../tools/library/api-md.js";

describe("constructs/API.md", () => {
  it("is what the docstrings say; npm run reference mends it", () => {
    // Compared as one value, because the difference of two texts of this size takes chai minutes.
    expect(readFileSync(API_MD, "utf8") === apiMd()).to.equal(true);
  }).timeout(60_000);
});
