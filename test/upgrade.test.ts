import { expect } from "chai";
import { describe, it } from "mocha";
import { upgradeVersions } from "../tools/upgrade/versions.js";

const TABLE = 'a: "1.2.3",\nb: "0.4.0",\nc: "2.0.0",\nd: "2.0.0",\n';

describe("the upgrade of pinned versions", () => {
  it("selects the newest compatible release", () => {
    const { text, upgraded } = upgradeVersions(TABLE, [{ name: "a", current: "1.2.3", latest: "1.10.0" }]);
    expect(text).to.equal(TABLE.replace("1.2.3", "1.10.0"));
    expect(upgraded.map(({ name }) => name)).to.deep.equal(["a"]);
  });

  it("leaves a new major version, and a version that two packages have, to a person", () => {
    const outdated = [
      { name: "a", current: "1.2.3", latest: "2.0.0" },
      { name: "b", current: "0.4.0", latest: "0.5.0" },
      { name: "c", current: "2.0.0", latest: "2.0.1" },
    ];
    const { text, left } = upgradeVersions(TABLE, outdated);
    expect(text).to.equal(TABLE);
    expect(left).to.deep.equal([
      "a 1.2.3 -> 2.0.0: another major version",
      "b 0.4.0 -> 0.5.0: another major version",
      'c 2.0.0 -> 2.0.1: projenrc/versions.ts contains "2.0.0" 2 times',
    ]);
  });
});
