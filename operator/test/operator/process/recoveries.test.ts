import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { TempDir } from "../../support/temp-dir.js";
import { World, type WorldOptions } from "../world.js";

const OUTAGE_MS = 420_000;

describe("operator in process: after the cause of failures has ended", function () {
  this.timeout(240_000);
  let world: World;
  const dir = new TempDir();

  afterEach(async () => {
    await world.close();
    dir.remove();
  });

  const recordsOf = (name: string) => world.digitalocean.state.dns.records("example.com", name).length;
  const isNodesReady = () => {
    const ref = { apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name: "nodes" };
    const { conditions = [] } = (world.kubernetes.get(ref)?.["status"] ?? {}) as {
      conditions?: readonly { readonly type: string; readonly status: string }[];
    };
    return conditions.some(({ type, status }) => type === "Ready" && status === "True");
  };

  /** A pool with a name and a set of all nodes, both served. */
  async function serve(options: WorldOptions = {}): Promise<void> {
    world = await World.create({ nodes: 4, ...options });
    world.digitalocean.tokens.add({ name: "first", secret: "dop_v1_first" });
    world.addPool("web", { ips: world.addAddresses(2), dnsRecordSet: nameOf("www") });
    world.kubernetes.create(nodesRecordSet());
    world.start();
    await world.fulfilled("web");
    await world.until(
      "the names are written",
      () => recordsOf("www") === 2 && recordsOf("nodes") === 4 && isNodesReady(),
    );
  }

  /** @returns seconds until everything is right again. */
  async function secondsUntilRight(): Promise<number> {
    const endedAt = world.clock.now();
    const isRight = () => recordsOf("www") === 2 && recordsOf("nodes") === 3 && isNodesReady();
    await world.until("the names are right", isRight);
    await world.until("the pool is ready", () => world.condition("web", "Ready")?.status === "True");
    return (world.clock.now() - endedAt) / 1_000;
  }

  function loseHolder(): void {
    const [{ nodeName = "" } = {}] = Object.values(world.status("web").ips ?? {});
    world.removeNode(nodeName);
  }

  /** Only the records of nodes change then. */
  function loseIdleNode(): void {
    const holders = Object.values(world.status("web").ips ?? {}).map(({ nodeName }) => nodeName);
    world.removeNode(["node-1", "node-2", "node-3"].find((name) => !holders.includes(name)) ?? "");
  }

  for (const [what, on] of [
    ["the DNS API", /domains/],
    ["the whole API", /./],
  ] as const) {
    it(`names and conditions are right within 35 s of an outage of ${what}`, async () => {
      await serve();
      const outage = world.digitalocean.faults.inject({ kind: "status", status: 503 }, { on, times: Infinity });
      loseHolder();
      await world.clock.sleep(OUTAGE_MS);
      const calls = world.digitalocean.journal.count({ on: /domains/ });
      await world.clock.sleep(60_000);
      expect(world.digitalocean.journal.count({ on: /domains/ }) - calls, "probes in a minute").to.be.within(2, 20);
      outage.cancel();
      expect(await secondsUntilRight()).to.be.below(35);
    });
  }

  it("names, addresses and conditions are right within 25 s of the right token in the file", async () => {
    const file = dir.write("token", "dop_v1_first");
    await serve({ env: { DIGITALOCEAN_ACCESS_TOKEN: "", DIGITALOCEAN_ACCESS_TOKEN_FILE: file } });
    world.digitalocean.tokens.revoke("dop_v1_first");
    world.digitalocean.tokens.add({ name: "second", secret: "dop_v1_second" });
    loseHolder();
    await world.clock.sleep(90_000);
    dir.write("token", "dop_v1_second");
    expect(await secondsUntilRight()).to.be.below(25);
  });

  for (const [what, isRefusedFirst] of [
    ["follows the right one", false],
    ["follows a token that the API refuses", true],
  ] as const) {
    it(`the conditions of the account name a token of another account within 25 s if it ${what}`, async () => {
      const file = dir.write("token", "dop_v1_first");
      await serve({ env: { DIGITALOCEAN_ACCESS_TOKEN: "", DIGITALOCEAN_ACCESS_TOKEN_FILE: file } });
      if (isRefusedFirst) {
        dir.write("token", "dop_v1_wrong");
        loseHolder();
        await world.until("the refusal", () => world.condition("web", "Accepted")?.message.includes("401") === true);
      }
      const replacedAt = world.clock.now();
      world.digitalocean.tokens.add({ name: "other", secret: "dop_v1_other" });
      Object.assign(world.digitalocean.state.account, { uuid: "other" });
      dir.write("token", "dop_v1_other");
      if (!isRefusedFirst) loseIdleNode();
      const types = ["Accepted", "ProviderReachable", "Ready"];
      const says = (type: string) => world.condition("web", type)?.message.includes("belongs to another account");
      await world.until("all say so", () => types.every(says));
      expect((world.clock.now() - replacedAt) / 1_000).to.be.below(25);
      for (const type of types)
        expect(world.condition("web", type)).to.include({ status: "False", reason: "Unauthorized" });
    });
  }

  for (const [what, token] of [
    ["a wrong token", "dop_v1_wrong"],
    ["no token", ""],
  ] as const) {
    it(`names and addresses are right within 25 s of the right token in the file, which had ${what} at the start`, async () => {
      const file = dir.write("token", token);
      world = await World.create({
        nodes: 2,
        env: { DIGITALOCEAN_ACCESS_TOKEN: "", DIGITALOCEAN_ACCESS_TOKEN_FILE: file },
      });
      world.digitalocean.tokens.add({ name: "first", secret: "dop_v1_first" });
      world.addPool("web", { ips: world.addAddresses(1), dnsRecordSet: nameOf("www") });
      world.kubernetes.create(nodesRecordSet());
      world.start();
      await world.until("it says so", () => world.condition("web", "Accepted")?.reason === "Unauthorized");
      await world.clock.sleep(3_000);
      const correctedAt = world.clock.now();
      dir.write("token", "dop_v1_first");
      await world.fulfilled("web");
      await world.until("the names are right", () => recordsOf("www") === 1 && recordsOf("nodes") === 2);
      expect((world.clock.now() - correctedAt) / 1_000).to.be.below(25);
    });
  }
});

function nameOf(recordName: string) {
  return { zone: "example.com", recordName, provider: "digitalocean" };
}

/** A set of all nodes. */
function nodesRecordSet() {
  return {
    ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "nodes", namespace: "default" } },
    spec: { dnsRecordSet: nameOf("nodes"), match: {} },
  };
}
