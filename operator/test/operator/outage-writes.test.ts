import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../controllers/routed-ip/routed-world.js";

const MINUTE_MS = 60_000;
/** The longest wait of the fast schedule, and some. */
const MOST_WRITES = 3;

describe("operator in process: an outage", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP", "RoutedIPIssuer"];
  const versions = () => {
    const all = KINDS.flatMap((kind) => made.world.kubernetes.list(GROUP_VERSION, kind));
    return new Map(all.map(({ kind, metadata: { name, resourceVersion }, status }) => [`${kind} ${name}`, { resourceVersion, status }]));
  };

  it("of ten minutes is told in each status, which then stays as it is", async () => {
    made = await RoutedWorld.create(["n1", "n2", "n3", "n4"]);
    const { world } = made;
    const { digitalocean } = world;
    const ips = [1, 2].map(() => digitalocean.state.addAddress().ip);
    world.addPool("web", { ips, dnsRecordSet: { zone: "example.com", recordName: "www" } });
    world.addPool("more", { desiredIPs: 2 });
    made.addIssuer();
    made.addRouted("a", {});
    made.serve({ node: "n3" });
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "nodes" }, addressType: "InternalIP" },
    });
    world.start();
    await world.fulfilled("web");
    await made.ready("a");
    const outage = digitalocean.faults.inject({ kind: "status", status: 503 }, { on: /./, times: Infinity });
    world.setReady("n3", false);
    for (const ip of ips) digitalocean.state.setHolder(ip, null);
    await world.clock.sleep(4 * MINUTE_MS);
    const written = new Map<string, unknown[]>();
    for (let look = 0; look < 60; look++) {
      for (const [key, { resourceVersion, status }] of versions()) {
        const seen = written.get(key) ?? [];
        if ((seen.at(-1) as { v?: string } | undefined)?.v !== resourceVersion) written.set(key, [...seen, { v: resourceVersion, status }]);
      }
      await world.clock.sleep(6_000);
    }
    outage.cancel();
    const often = [...written].filter(([, seen]) => seen.length > MOST_WRITES).map(([key, seen]) => [key, seen.length, ...seen.slice(-2)]);
    expect(often, JSON.stringify(often, undefined, 1)).to.deep.equal([]);
  });
});
