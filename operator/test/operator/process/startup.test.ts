import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { CLAIMS_WAIT_MS } from "../../../src/timings.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { type Running, World } from "../world.js";

const FEATURES = { features: "pools,dns,routedip" };

interface Fault {
  readonly kind: "status";
  readonly code: number;
}

const BROKEN: Fault = { kind: "status", code: 500 };

describe("operator in process: the start", function () {
  this.timeout(240_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create();
  });

  afterEach(() => world.close());

  /** The server fails at the lists and watches of this kind. */
  const withhold = (fault: Fault, plural: string) =>
    world.kubernetes.setFaults(({ path, method }) => {
      const found = method === "GET" && path.split("?")[0]?.endsWith(`/${plural}`) === true;
      return found ? fault : undefined;
    });

  it("moves the addresses of pools while RoutedIPs cannot be read, and says so in /readyz", async () => {
    for (const name of ["node-1", "node-2"]) world.addNode(name);
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip] });
    const first = world.start(FEATURES);
    await world.fulfilled("web");
    await first.stop();
    withhold(BROKEN, "routedips");
    const { operator } = world.start(FEATURES);
    const failing = world.status("web").ips?.[ip]?.nodeName ?? "";
    const before = world.holder(ip);
    world.setReady(failing, false);
    await world.until("it has moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    expect(operator.health.report("readyz").text).to.include("routedips");
  });

  it("gives no pool an address that a RoutedIP may have, until all RoutedIPs are read", async () => {
    world.addNode("node-1");
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip] });
    withhold(BROKEN, "routedips");
    world.start(FEATURES);
    await world.until("the lists have failed", () => world.logs.some((line) => line.includes('"failures":2')));
    expect(world.holder(ip)).to.equal(undefined);
    world.kubernetes.setFaults(undefined);
    await world.until("it is assigned", () => world.holder(ip) !== undefined);
  });

  describe("releases no address that a RoutedIP may list", () => {
    let ip: string;
    const exists = () => world.digitalocean.state.addresses().some((address) => address.ip === ip);

    /** A deleted pool, whose address is to be released, and an operator that does not read RoutedIPs yet. */
    const startWith = async (fault: Fault) => {
      world.addNode("node-1");
      world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
      const first = world.start(FEATURES);
      await world.fulfilled("web");
      ip = Object.keys(world.status("web").ips ?? {})[0] ?? "";
      await first.stop();
      world.kubernetes.delete(world.refTo("web"));
      withhold(fault, "routedips");
      world.start(FEATURES);
    };

    for (const [what, code] of [
      ["cannot be read", 500],
      ["must not be read", 403],
    ] as const) {
      it(`while they ${what}, and says so on the pool`, async () => {
        await startWith({ kind: "status", code });
        await world.until("Accepted reports it", () => world.condition("web", "Accepted")?.reason === "UnderWay");
        expect(world.condition("web", "Accepted")?.message).to.include(ip).and.include("/readyz");
        expect(world.status("web").ips?.[ip]).to.include({ state: "disabled", reason: "UnderWay" });
        await world.clock.sleep(2 * CLAIMS_WAIT_MS);
        expect(exists(), "longer than claims wait").to.equal(true);
        world.kubernetes.setFaults(undefined);
        await world.until("it is released", () => !exists());
        await world.until("the pool is gone", () => world.kubernetes.get(world.refTo("web")) === undefined);
      });
    }

    it("but does not wait where there is no such kind", async () => {
      await startWith({ kind: "status", code: 404 });
      await world.until("it is released", () => !exists());
    });
  });

  it("serves record sets while pools cannot be read", async () => {
    world.addNode("node-1");
    withhold(BROKEN, "floatingippools");
    const { operator } = world.start(FEATURES);
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "nodes" } },
    });
    const published = () => world.digitalocean.state.dns.records("example.com", "nodes").length;
    await world.until("the record set is served", () => published() === 1);
    expect(operator.health.report("readyz").text).to.include("floatingippools");
  });
});

const KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP", "RoutedIPIssuer", "ClusterRoutedIPClass"];
interface Shown {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** All conditions of all our resources, each as `FloatingIPPool/web Ready True/Observed`. */
function conditionsIn({ kubernetes }: World): readonly string[] {
  const objects = KINDS.flatMap((kind) => kubernetes.list(GROUP_VERSION, kind));
  return objects.flatMap(({ kind, metadata, status }) => {
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Shown[] };
    return conditions.map((shown) => `${kind}/${metadata.name} ${shown.type} ${shown.status}/${shown.reason}`);
  });
}

describe("operator in process: a start while the clouds answer slowly", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let world: World;
  let former: Running;

  const create = (kind: string, name: string, spec: object) => {
    const metadata = { name, ...(kind === "ClusterRoutedIPClass" ? {} : { namespace: "default" }) };
    world.kubernetes.create({ apiVersion: GROUP_VERSION, kind, metadata, spec });
  };

  beforeEach(async () => {
    made = await RoutedWorld.create(["n1", "n2"], { speed: 60 });
    world = made.world;
    const { ip } = world.digitalocean.state.addAddress();
    create("ClusterRoutedIPClass", "default", { issuerRef: { name: "do", namespace: "default" } });
    made.addIssuer();
    made.addRouted("a", { routedIP: ip, dnsRecordSet: { zone: "example.com", recordName: "a" } });
    made.serve({ node: "n1" });
    world.addPool("web", {
      ips: world.addAddresses(1),
      match: { nodeLabel: "web=yes" },
      dnsRecordSet: { zone: "example.com", recordName: "web" },
    });
    world.addNode("w1", { labels: { web: "yes" } });
    world.addNode("w2", { labels: { web: "yes" } });
    const match = { nodeLabel: "web=yes" };
    create("NodeDNSRecordSet", "nodes", { match, dnsRecordSet: { zone: "example.com", recordName: "nodes" } });
    former = world.start();
    const ready = () => conditionsIn(world).filter((line) => line.includes(" Ready True/")).length;
    await world.until("all are ready", () => ready() === KINDS.length);
    await world.rest();
  });

  afterEach(() => made.close());

  /** Conditions that waited for the reads would never be seen as unknown. */
  const READ_MS = 10_000;
  const EVERY_READ = { on: /^GET /, times: Number.POSITIVE_INFINITY };

  /** Starts another operator, whose reads of the clouds take so long. @returns conditions that were not there before. */
  async function startSlowly(readMs: number, change: () => void = () => undefined): Promise<ReadonlySet<string>> {
    await former.stop();
    const rest = new Set(conditionsIn(world));
    const others = new Set<string>();
    world.digitalocean.faults.inject({ kind: "delay", ms: readMs }, EVERY_READ);
    world.kubernetes.onRequest(() => {
      for (const line of conditionsIn(world)) if (!rest.has(line)) others.add(line);
    });
    change();
    world.start();
    return others;
  }

  it("shows no condition as not observed that it is about to read", async () => {
    const others = await startSlowly(3_000);
    await world.clock.sleep(60_000);
    expect([...others]).to.deep.equal([]);
  });

  it("says at once that a spec has changed", async () => {
    const others = await startSlowly(READ_MS, () => world.edit("web", { desiredIPs: 1 }));
    await world.until("it says so", () => others.has("FloatingIPPool/web Ready Unknown/NotObserved"));
    expect([...others].filter((line) => line.startsWith("RoutedIP"))).to.deep.equal([]);
  });

  it("says at once that a holder is gone", async () => {
    const { nodeName: holder = "" } = Object.values(world.status("web").ips ?? {})[0] ?? {};
    const others = await startSlowly(READ_MS, () => {
      for (const node of [holder, "n1"]) world.removeNode(node);
    });
    for (const resource of ["FloatingIPPool/web", "RoutedIP/a"])
      await world.until(`${resource} says so`, () => others.has(`${resource} Ready Unknown/NotObserved`));
  });

  it("gives a new resource its first status at once", async () => {
    const others = await startSlowly(READ_MS, () => world.addPool("new", { ips: world.addAddresses(1) }));
    await world.until("it has one", () => others.has("FloatingIPPool/new Ready Unknown/NotObserved"));
  });
});
