import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { buildIfStale } from "../../tools/library/build-if-stale.js";

describe("a build that can be skipped", () => {
  let folder = "";
  const at = (...path: readonly string[]) => join(folder, ...path);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "flipop-fresh-"));
    mkdirSync(at("src", "deep"), { recursive: true });
    writeFileSync(at("src", "deep", "a.ts"), "a");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function build(run = () => writeFileSync(at("out"), "made")): boolean {
    return buildIfStale({ inputs: [at("src")], outputs: [at("out")], stamp: at("cache", "stamp"), run });
  }

  it("runs once, and not again while nothing has changed", () => {
    expect([build(), build()]).to.deep.equal([true, false]);
  });

  const changes: Readonly<Record<string, () => void>> = {
    "a source was changed": () => writeFileSync(at("src", "deep", "a.ts"), "b"),
    "a source was added": () => writeFileSync(at("src", "b.ts"), ""),
    "a source was removed": () => rmSync(at("src", "deep", "a.ts")),
    "what it makes was changed": () => writeFileSync(at("out"), "other"),
    "what it makes was removed": () => rmSync(at("out")),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`runs again when ${what}`, () => {
      build();
      change();
      expect([build(), build()]).to.deep.equal([true, false]);
    });
  }

  it("runs again after a failure, or a change of a source during the build", () => {
    const fail = () => {
      throw new Error("does not compile");
    };
    expect(() => build(fail)).to.throw("does not compile");
    expect(build(() => writeFileSync(at("src", "deep", "a.ts"), "later"))).to.equal(true);
    expect([build(), build()]).to.deep.equal([true, false]);
  });
});
