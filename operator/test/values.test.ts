import { expect } from "chai";
import { putLast } from "../src/values.js";

describe("a map with a limit", () => {
  it("forgets the entry that was put longest ago, and no other", () => {
    const map = new Map<string, number>();
    for (const key of ["a", "b", "a", "c"]) putLast(map, key, map.size, 2);
    expect([...map.keys()]).to.deep.equal(["a", "c"]);
  });
});
