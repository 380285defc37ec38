import { expect } from "chai";
import { describe, it } from "mocha";
import { LANGUAGES, languagesOf } from "../../tools/packs/toolchains.js";

describe("npm run packs", () => {
  it("packs for every language, or for the given ones", () => {
    expect(languagesOf([])).to.deep.equal(LANGUAGES);
    expect(languagesOf(["python", "js"])).to.deep.equal(["js", "python"]);
  });

  it("rejects an unknown language", () => {
    expect(() => languagesOf(["js", "npm"])).to.throw('"npm" is not a language: use js, go, python, java');
  });
});
