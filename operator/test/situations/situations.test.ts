import { ALL_KINDS, REASON_PLACES, type Reason } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { SITUATIONS } from "./all.js";

const ROWS = SITUATIONS.flatMap(({ situations }) => situations);

describe("the situations of the page on troubleshooting", () => {
  for (const { kind, when, shows, names, seen } of ROWS) {
    it(`${kind}: ${when}`, () => {
      const { where, reason, message } = seen();
      expect(`${where} ${reason}`, message).to.equal(shows);
      for (const name of names) expect(message).to.include(name);
    });
  }

  it("are at least 60, of all kinds, each with words of its own", () => {
    expect(ROWS.length).to.be.at.least(60);
    expect(new Set(ROWS.map(({ kind }) => kind)).size).to.equal(ALL_KINDS.length);
    expect(new Set(ROWS.map(({ kind, when }) => `${kind} ${when}`)).size).to.equal(ROWS.length);
  });

  it("show reasons where the reference says that they appear", () => {
    const inStatus = ROWS.filter(({ shows }) => !shows.startsWith("Event"));
    const misplaced = inStatus.filter(({ shows, kind }) => {
      const [where = "", reason = ""] = shows.split(" ");
      const { conditions, kinds, ofAddress } = REASON_PLACES[reason as Reason];
      const known: readonly string[] = [...conditions, ...(ofAddress === true ? ["status.ips"] : [])];
      return !known.includes(where) || !kinds.includes(kind);
    });
    expect(misplaced.map(({ when, shows }) => `${when}: ${shows}`)).to.deep.equal([]);
  });
});
