/** The provider refuses to delete the records of a former name: the status follows the new one all the same. */

import { type DnsRecordSet, GROUP_VERSION, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import type { World } from "../world.js";

const RESOURCE = { apiVersion: GROUP_VERSION, namespace: "default", name: "web" };
const DELETION = /^DELETE .*\/records/;
const LONG_MS = 20_000;
const KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP"] as const;

type KindName = (typeof KINDS)[number];

describe("operator in process: a former name whose records the provider does not delete", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let world: World;
  let ips: readonly string[];

  beforeEach(async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    world = made.world;
    made.addIssuer();
    made.serve({ node: "n1" });
    ips = world.addAddresses(2);
    world.start();
  });

  afterEach(() => made.close());

  const recordsOf = (recordName: string): DnsRecordSet => ({
    zone: "example.com",
    recordName,
    ttl: 30,
    deletionPolicy: "Delete",
  });
  const zone = (name: string) => world.digitalocean.state.dns.records("example.com", name).map(({ data }) => data);
  const status = (kind: KindName) => (world.kubernetes.get({ ...RESOURCE, kind })?.["status"] ?? {}) as Status;
  const edit = (kind: KindName, fields: object) => world.change({ ...RESOURCE, kind }, "spec", fields);
  const condition = (kind: KindName) => status(kind).conditions?.find(({ type }) => type === "DNSReady");

  function add(kind: KindName): void {
    const dnsRecordSet = recordsOf("b1");
    if (kind === "FloatingIPPool") world.addPool("web", { ips: [ips[0] ?? ""], dnsRecordSet });
    else if (kind === "RoutedIP") made.addRouted("web", { routedIP: ips[0] ?? "", dnsRecordSet });
    else world.kubernetes.create({ apiVersion: GROUP_VERSION, kind, metadata: RESOURCE, spec: { dnsRecordSet } });
  }

  /** The addresses of the resource are others from now on. */
  function change(kind: KindName): void {
    if (kind === "FloatingIPPool") edit(kind, { ips });
    else if (kind === "RoutedIP") edit(kind, { routedIP: ips[1] ?? "" });
    else world.addNode("n3");
  }

  const until = (what: string, condition: () => boolean) => world.until(what, condition, LONG_MS);
  const follows = (kind: KindName) => {
    const { dns } = status(kind);
    return dns?.recordName === "b2" && dns.values.join() === zone("b2").sort().join();
  };

  for (const kind of KINDS) {
    for (const code of [403, 500]) {
      it(`does not keep the status of a ${kind} from its new name, with status ${code}`, async () => {
        add(kind);
        await until("b1 is written", () => condition(kind)?.status === "True");
        const [former] = zone("b1");
        world.digitalocean.faults.inject({ kind: "status", status: code }, { on: DELETION, times: Infinity });
        edit(kind, { dnsRecordSet: recordsOf("b2") });
        await until("b2 is on record", () => follows(kind) && zone("b2").length > 0);
        const before = `${zone("b2")}`;
        change(kind);
        await until("its addresses are on record", () => `${zone("b2")}` !== before && follows(kind));
        const { addresses, begunRecords = [] } = status(kind);
        if (addresses !== undefined)
          expect(addresses.map(({ address }) => address).sort()).to.deep.equal(zone("b2").sort());
        expect(begunRecords.map(({ recordName }) => recordName)).to.deep.equal(["b1"]);
        await until("the failure is a condition", () => condition(kind)?.status === "False");
        // The operator tries again what may pass within seconds.
        if (code === 403) await until("the next try is on record", () => status(kind).retryAt !== undefined);
        expect(zone("b1")).to.include(former);
        world.digitalocean.faults.clear();
        await until("b1 is gone", () => zone("b1").length === 0 && status(kind).begunRecords === undefined);
        await until("it is ready", () => condition(kind)?.status === "True");
      });
    }
  }
});

type Status = Pick<NodeDNSRecordSetStatus, "dns" | "begunRecords" | "conditions" | "addresses" | "retryAt">;
