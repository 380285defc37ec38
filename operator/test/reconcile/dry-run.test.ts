import { expect } from "chai";
import { describe, it } from "mocha";
import { type Logger, silentLogger } from "../../src/logging.js";
import { DryRunPlans } from "../../src/reconcile/dry-run.js";
import { FakeClock } from "../support/time/fake-clock.js";

const WEB = { kind: "FloatingIPPool", namespace: "default", name: "web" };
const SETTLE_MS = 3_000;

describe("the plans of a dry run", () => {
  const start = () => {
    const clock = new FakeClock();
    const lines: object[] = [];
    const logger: Logger = { ...silentLogger, info: (fields) => void lines.push(fields) };
    const plans = new DryRunPlans(clock, logger);
    const show = (actions: Readonly<Record<string, string>>, explanation = "") => {
      plans.show(WEB, { explanation, actions: Object.entries(actions).map(([verb, why]) => ({ do: verb, why })) });
      return clock.advance(SETTLE_MS);
    };
    return { clock, lines, plans, show };
  };

  it("are logged once, with what each action is for", async () => {
    const { lines, show } = start();
    for (let run = 0; run < 3; run++) await show({ assign: "a goes to node-1" }, "web: a goes to node-1.");
    expect(lines).to.deep.equal([
      {
        resource: "FloatingIPPool/default/web",
        change: "assign: a goes to node-1",
        plan: "web: a goes to node-1.",
      },
    ]);
  });

  it("are one line for each change, once, though they grow while the operator reads", async () => {
    const { lines, show } = start();
    await Promise.all([show({ assign: "a" }), show({ assign: "a", "apply-records": "www" })]);
    await show({ assign: "a", "apply-records": "www", release: "b" });
    const resource = "FloatingIPPool/default/web";
    expect(lines).to.deep.equal(
      ["assign: a", "apply-records: www", "release: b"].map((change) => ({ resource, change })),
    );
  });

  it("are logged as they are last, without what an earlier plan wanted instead", async () => {
    const { lines, show } = start();
    await Promise.all([show({ assign: "a goes to node-1" }), show({ assign: "a goes to node-2" })]);
    await Promise.all([show({ release: "b" }), show({})]);
    expect(lines).to.deep.equal([{ resource: "FloatingIPPool/default/web", change: "assign: a goes to node-2" }]);
  });

  it("are logged again for another action, not for a time that goes on or for fewer actions", async () => {
    const { lines, show } = start();
    await show({ assign: "node-1 is NotReady for 12 s", release: "b" });
    await show({ assign: "node-1 is NotReady for 13.5 s" });
    await show({});
    expect(lines).to.have.length(2);
    await show({ assign: "node-2 is NotReady for 14 s" });
    expect(lines).to.have.length(3);
  });

  it("name no reads, and nothing where only reads are planned", async () => {
    const { lines, show } = start();
    await show({ "read-records": "their age", poll: "an action" });
    expect(lines).to.deep.equal([]);
  });

  it("are logged at the end, too, with no timer left", () => {
    const { clock, lines, plans, show } = start();
    void show({ assign: "a" });
    plans.close();
    expect(lines).to.have.length(1);
    expect(clock.pendingTimers).to.equal(0);
  });
});
