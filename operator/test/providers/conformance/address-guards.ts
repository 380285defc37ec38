import { expect } from "chai";
import { it } from "mocha";
import type { IpFamily } from "../../../src/providers/types.js";
import { NotLeaderError } from "../../../src/runtime/fence.js";
import { errorOf } from "../../support/http-rig.js";
import { type AddressBench, ASKER } from "./benches.js";
import { refused } from "./refused.js";

type Start = () => Promise<AddressBench>;

/** What an AddressProvider must refuse, whatever the family. */
export function addressRefusals(start: Start, family: IpFamily): void {
  it("says NotFound for a node that is gone", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress(family);
    bench.removeNode(node);

    const work = bench.drive(bench.provider.assign(ASKER, { ip, node }));

    await refused(work, { kind: "NotFound" });
  });

  it("names nodes by its scheme, so that those of other clouds are known without asking", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress(family, node);
    const prefix = `${bench.provider.capabilities.providerIdScheme}://`;

    expect(node.startsWith(prefix), node).to.equal(true);
    expect((await bench.drive(bench.provider.get(ASKER, ip)))?.holder).to.equal(node);
  });

  it("says Terminal for a node of another provider, and sends nothing", async () => {
    const bench = await start();
    const ip = bench.addAddress(family);
    const before = bench.calls();

    const work = bench.drive(bench.provider.assign(ASKER, { ip, node: "other-cloud://1" }));

    await refused(work, { kind: "Terminal", outcome: "not-sent" });
    expect(bench.calls()).to.equal(before);
  });

  it("says QuotaExceeded at the account's limit, and creates nothing", async () => {
    const bench = await start();
    bench.exhaustQuota();
    const before = bench.addresses().size;

    const work = bench.drive(bench.provider.create(ASKER, { family, region: bench.regions[0] }));

    await refused(work, { kind: "QuotaExceeded", outcome: "refused" });
    expect(bench.addresses().size).to.equal(before);
  });
}

/** What the layers around it must see to. */
export function addressGuards(start: Start, family: IpFamily): void {
  it("writes nothing without the lease, and reads all the same", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress(family);
    bench.loseLease();

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node })));

    expect(error).to.be.instanceOf(NotLeaderError);
    expect(bench.addresses().get(ip)).to.equal(undefined);
    expect(await bench.drive(bench.provider.get(ASKER, ip))).to.include({ ip });
  });

  it("puts each mutation on record, with who asked and why", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress(family);

    const { state } = await bench.drive(bench.provider.assign(ASKER, { ip, node }));

    expect(bench.audit).to.deep.equal([
      {
        provider: bench.provider.name,
        kind: "assign-address",
        target: ip,
        before: "",
        after: node,
        requester: "FloatingIPPool/apps/web",
        why: "a test asks",
        outcome: state === "completed" ? "done" : "started",
      },
    ]);
  });
}
