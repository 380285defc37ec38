import { expect } from "chai";
import { describe, it } from "mocha";
import type { AddressProvider } from "../../../src/providers/types.js";
import { errorOf } from "../../support/http-rig.js";
import { ASKER, closing } from "../conformance/benches.js";
import { startAddressBench } from "./address-bench.js";

const LIST = "GET /v2/reserved_ips";

describe("DigitalOcean's addresses", () => {
  const start = closing(startAddressBench);

  it("lists 5,000 addresses in 25 calls", async () => {
    const bench = await start();
    for (let index = 1; index < 5_000; index++) bench.addAddress("IPv4");
    bench.addAddress("IPv4", bench.addNode());

    const listed = await bench.drive(bench.provider.list(ASKER, { family: "IPv4", named: [] }));

    expect(listed).to.have.length(5_000);
    expect(bench.calls()).to.equal(25);
  });

  it("reads a list again that changed while its pages were read", async () => {
    const bench = await start();
    const ips = Array.from({ length: 201 }, () => bench.addAddress("IPv4"));
    let removed = false;
    bench.afterEach(() => {
      if (!removed) bench.simulator.state.removeAddress(ips[0] ?? "");
      removed = true;
    });

    const listed = await bench.drive(bench.provider.list(ASKER, { family: "IPv4", named: [] }));

    expect(listed.map(({ ip }) => ip).sort()).to.deep.equal(ips.slice(1).sort());
  });

  it("gives up on a 500 of a creation at once: whether it happened is unknown", async () => {
    const bench = await start();
    bench.simulator.faults.inject({ kind: "status", status: 503, when: "after" });

    const outcome = await bench.drive(bench.provider.create(ASKER, { family: "IPv4", region: "nyc3" }));

    expect(outcome.kind).to.equal("unknown");
    expect(bench.simulator.journal.count({ mutating: true })).to.equal(1);
    expect(bench.addresses().size).to.equal(1);
  });

  it("leaves the wait for the throttle of creations to the caller, and works again after it", async () => {
    const bench = await start();
    bench.simulator.state.settings.limits.createsPerMinute = 1;
    const create = () => bench.drive(bench.provider.create(ASKER, { family: "IPv4", region: "nyc3" }));
    await create();

    expect(await errorOf(create())).to.deep.include({ kind: "RateLimited", outcome: "refused", reason: "GroupLimit" });
    expect(bench.addresses().size).to.equal(1);
    await bench.pass(60_000);
    expect((await create()).kind).to.equal("created");
  });

  it("says that the droplet is busy with an event", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress("IPv4");
    bench.simulator.state.startEvent(Number(node.slice("digitalocean://".length)));

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node })));

    expect(error).to.deep.include({ kind: "Conflict", reason: "NodeBusy", outcome: "refused" });
  });

  it("understands a move that needs an unassign first", async () => {
    const bench = await start();
    bench.simulator.state.settings.switches.moveNeedsUnassign = true;
    const ip = bench.addAddress("IPv4", bench.addNode());

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node: bench.addNode() })));

    expect(error).to.deep.include({ kind: "Conflict", reason: "HeldElsewhere" });
  });

  it("says that a droplet without IPv6 cannot hold an IPv6 address", async () => {
    const bench = await start();
    const { id } = bench.simulator.state.addDroplet({ ipv6: false });
    const ip = bench.addAddress("IPv6");

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node: `digitalocean://${id}` })));

    expect(error).to.deep.include({ kind: "Conflict", reason: "NodeUnfit" });
  });

  it("does not read IPv6 lists with a token that may not see droplets: all would look unassigned", async () => {
    const bench = await start();
    const scopes = ["reserved_ip:read"];
    bench.simulator.tokens.add({ name: "default", secret: bench.simulator.token, scopes });

    const error = await errorOf(bench.drive(bench.provider.list(ASKER, { family: "IPv6", named: [] })));

    expect(error).to.deep.include({ kind: "Unauthorized", status: 403 });
    expect(String(error)).to.include("droplet");
  });

  it("distinguishes accounts by the token if the account cannot be read", async () => {
    const bench = await start();
    bench.simulator.tokens.add({ name: "default", secret: bench.simulator.token, scopes: ["reserved_ip:read"] });

    const key = await bench.drive(bench.provider.accountKey(ASKER));

    expect(key).to.match(/^token-[0-9a-f]{16}$/);
    expect(key).not.to.include(bench.simulator.token);
  });
});

describe("DigitalOcean's BYOIP addresses", () => {
  const start = closing(startAddressBench);
  const [held, free, strange] = ["198.51.100.10", "198.51.100.11", "192.0.2.1"] as const;

  async function scene() {
    const bench = await start();
    bench.simulator.state.addByoipPrefix("198.51.100.0/24");
    const node = bench.addNode();
    bench.simulator.state.setHolder(held, Number(node.slice("digitalocean://".length)));
    return { bench, node };
  }

  it("are in the list where a resource names them, for one call and one for each range", async () => {
    const { bench, node } = await scene();
    bench.addAddress("IPv4", bench.addNode());

    const named = [held, free, strange];
    const listed = await bench.drive(bench.provider.list(ASKER, { family: "IPv4", named }));

    const borrowed = listed.filter((facts) => facts.borrowed);
    expect(borrowed).to.deep.equal([
      { ip: held, family: "IPv4", region: "nyc3", borrowed: true, holder: node },
      { ip: free, family: "IPv4", region: "nyc3", borrowed: true },
    ]);
    expect(bench.calls()).to.equal(3);
  });

  it("cost nothing if no resource names one", async () => {
    const { bench } = await scene();
    const ip = bench.addAddress("IPv4", bench.addNode());

    await bench.drive(bench.provider.list(ASKER, { family: "IPv4", named: [ip] }));

    expect([...bench.simulator.journal.countByRoute().keys()]).to.deep.equal([LIST]);
  });

  it("are assigned although their action is never found: the holder shows it", async () => {
    const { bench } = await scene();
    const node = bench.addNode();

    const action = await bench.drive(bench.provider.assign(ASKER, { ip: free, node }));
    expect(action.state).to.equal("in-progress");
    const early = await bench.drive(bench.provider.action(ASKER, action, node));
    await bench.pass(10_000);
    const late = await bench.drive(bench.provider.action(ASKER, action, node));

    expect([early.state, late.state]).to.deep.equal(["in-progress", "completed"]);
  });

  it("are read alone where the token may not list ranges", async () => {
    const { bench } = await scene();
    const scopes = ["reserved_ip:read", "droplet:read"];
    bench.simulator.tokens.add({ name: "default", secret: bench.simulator.token, scopes });

    const listed = await bench.drive(bench.provider.list(ASKER, { family: "IPv4", named: [held] }));

    expect(listed).to.deep.equal([]);
    expect(await readHolder(bench, held)).to.match(/^digitalocean:/);
  });

  it("are never released", async () => {
    const { bench } = await scene();

    const error = await errorOf(bench.drive(bench.provider.release(ASKER, free)));

    expect(error).to.deep.include({ kind: "Terminal" });
  });
});

async function readHolder(bench: { provider: AddressProvider; drive<T>(work: Promise<T>): Promise<T> }, ip: string) {
  return (await bench.drive(bench.provider.get(ASKER, ip)))?.holder;
}
