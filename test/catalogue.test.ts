import { REASONS, type Reason } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { Row } from "../operator/src/messages/message.js";
import { no } from "../operator/src/reconcile/conditions.js";
import { summary } from "../operator/src/reconcile/summary-conditions.js";
import { CATALOGUE } from "../tools/reference/catalogue.js";

const ROWS: readonly Row[] = Object.values(CATALOGUE).flatMap((topic) => Object.values(topic).map(({ row }) => row));
/** Entries that pass on what somebody else said, or only name a cause. */
const FOREIGN = ["provider.", "server.refused", "events.", "firewalls.full", "candidates.none"];
const own = ROWS.filter(({ id }) => !FOREIGN.some((start) => id.startsWith(start)));

/** What occurs more than once. */
function repeated(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}

describe("the catalogue of messages", () => {
  it("has a text with an example for each entry", () => {
    for (const { id, example } of ROWS) {
      expect(example(), id).to.match(/^\S.{5,}\S$/s);
      expect(example(), id).not.to.match(/undefined|\[object|NaN/);
    }
  });

  it("has each entry and each text once", () => {
    expect(repeated(ROWS.map(({ id }) => id))).to.deep.equal([]);
    expect(repeated(own.map(({ example }) => example()))).to.deep.equal([]);
  });

  it("names in each text what the reader needs within an Event's 1,024 bytes", () => {
    for (const { id, example } of ROWS) expect(Buffer.byteLength(example()), id).to.be.below(1024);
  });

  it("says for each problem who can remove it, and how", () => {
    const helpless = ROWS.filter(({ by, reason, hasRemedy }) => {
      if (by === undefined || by === "operator" || by === "cause" || hasRemedy === true) return false;
      return REASONS[reason() as Reason].remedy === "";
    });
    expect(helpless.map(({ id }) => id)).to.deep.equal([]);
  });

  it("never contradicts in the summary who has to do something", () => {
    for (const { id, by, reason, example } of ROWS.filter((row) => row.by !== undefined)) {
      const planned = no("Accepted", { id, reason: reason() as Reason, message: example() });
      const [, , stalled] = summary([planned], { readyWhen: ["Accepted"] });
      if (by === "operator") expect(stalled?.status, `${id}: the operator removes the obstacle`).to.equal("False");
      if (by === "operator" || stalled?.status === "True") continue;
      expect(stalled?.message, `${id}: a person removes it`).not.to.match(/no obstacle|no person|needs a person/);
    }
  });
});
