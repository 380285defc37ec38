import { expect } from "chai";
import { describe, it } from "mocha";
import { isCleanupOverdue } from "../../src/reconcile/cleanup.js";

describe("the deadline of a clean-up", () => {
  const HOUR = 3_600_000;
  const deletionTimestamp = new Date(0).toISOString();
  const tried = { attempts: 10, since: HOUR - 600_000 };

  it("passes an hour after the deletion, after ten tries over ten minutes", () => {
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, tried)).to.equal(true);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR - 1, { ...tried, since: 0 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { ...tried, attempts: 9 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { ...tried, since: tried.since + 1 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { attempts: 10 })).to.equal(false);
  });
});
