import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { DnsWorld, NAME } from "../controllers/node-dns-record-set/dns-world.js";

const MANY = 110;

/** The other half has the labels of a name that is not published. */
const nodes = (label: string) => Array.from({ length: MANY }, (_, index) => `${label}-${index + 1}`);

describe("a record set whose change waits for the limit of calls", function () {
  this.timeout(30_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create({ speed: 60 });
    for (const label of ["blue", "green"])
      for (const name of nodes(label)) rig.world.addNode(name, { labels: { pool: label } });
    rig.addSet("game", { match: { nodeLabel: "pool=blue" } });
    rig.start();
    await rig.until("blue", () => rig.records().length === MANY);
    await rig.ready();
  });

  afterEach(() => rig.close());

  const ready = () => rig.status("game").conditions?.find(({ type }) => type === "Ready");

  it("says so, with the time, and counts what is published by now", async () => {
    rig.edit("game", { match: { nodeLabel: "pool=green" } });
    await rig.until("the status says what it waits for", () => ready()?.reason === "RateLimited");
    expect(ready()?.message).to.contain(`the operator changes ${NAME}; `);
    expect(ready()?.message).to.match(/rate limit of the account, which allows the next call at \d{4}-/);
    expect(rig.status("game").state).to.equal("in-progress");
    await rig.ready();
    expect(rig.status("game").counts?.published).to.equal(MANY);
  });
});
