/** A new name cannot be written yet: until then the former one, which clients still use, follows the addresses. */

import { type DnsRecordSet, GROUP_VERSION, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import type { World } from "../world.js";

const RESOURCE = { apiVersion: GROUP_VERSION, namespace: "default", name: "web" };
const LONG_MS = 20_000;
const FORMER: DnsRecordSet = { zone: "example.com", recordName: "b1", ttl: 90, deletionPolicy: "Delete" };
const LACKING: DnsRecordSet = { ...FORMER, zone: "lacking.example" };
const OBSTACLES: Readonly<Record<string, DnsRecordSet>> = {
  "a zone that the account lacks": LACKING,
  "a CNAME on the new name": { ...FORMER, recordName: "b2" },
  "another provider without a token": { ...FORMER, provider: "cloudflare" },
};
const KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP"] as const;

type KindName = (typeof KINDS)[number];

describe("operator in process: a former name while the new one cannot be written", function () {
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
    world.digitalocean.state.dns.addRecord("example.com", { type: "CNAME", name: "b2", data: "other.example.com." });
    world.start();
  });

  afterEach(() => made.close());

  const records = () => world.digitalocean.state.dns.records("example.com", "b1");
  const held = () => records().map(({ data }) => data);
  const status = (kind: KindName) => (world.kubernetes.get({ ...RESOURCE, kind })?.["status"] ?? {}) as Status;
  const edit = (kind: KindName, fields: object) => world.change({ ...RESOURCE, kind }, "spec", fields);
  const condition = (kind: KindName) => status(kind).conditions?.find(({ type }) => type === "DNSReady");
  const isWritten = (kind: KindName) =>
    held().length === (kind === "RoutedIP" ? 1 : 2) && condition(kind)?.status === "True";
  const isUpToDate = (kind: KindName) => {
    const { status, message = "" } = condition(kind) ?? {};
    return status === "False" && message.includes("keeps the former name b1.example.com up to date");
  };
  const until = (what: string, is: () => boolean) => world.until(what, is, LONG_MS);

  function add(kind: KindName): void {
    const dnsRecordSet = FORMER;
    if (kind === "FloatingIPPool") world.addPool("web", { ips, dnsRecordSet });
    else if (kind === "RoutedIP") made.addRouted("web", { routedIP: ips[0] ?? "", dnsRecordSet });
    else world.kubernetes.create({ apiVersion: GROUP_VERSION, kind, metadata: RESOURCE, spec: { dnsRecordSet } });
  }

  /** Of two nodes with addresses, one dies; a RoutedIP gets another address. */
  function change(kind: KindName): void {
    if (kind === "RoutedIP") edit(kind, { routedIP: ips[1] ?? "" });
    else world.setReady("n2", false);
  }

  for (const kind of KINDS) {
    for (const [obstacle, dnsRecordSet] of Object.entries(OBSTACLES)) {
      it(`follows the addresses of a ${kind}, with ${obstacle}`, async () => {
        add(kind);
        await until("b1 is written", () => isWritten(kind));
        const before = held();
        edit(kind, { dnsRecordSet });
        await until("its condition shows it", () => isUpToDate(kind));
        change(kind);
        await until("b1 holds what is up", () => held().length === 1 && `${held()}` !== `${before}`);
        await until("that is on record", () => `${status(kind).dns?.values}` === `${held()}`);
        expect(status(kind).dns).to.include({ zone: "example.com", recordName: "b1", provider: "digitalocean" });
        expect(records().map(({ ttl }) => ttl)).to.deep.equal([90]);
        await until("its condition shows it still", () => isUpToDate(kind));
      });
    }

    it(`shows what the former name of a ${kind} still holds, where that cannot be changed either`, async () => {
      add(kind);
      await until("b1 is written", () => isWritten(kind));
      const before = held();
      edit(kind, { dnsRecordSet: LACKING });
      await until("its condition shows it", () => condition(kind)?.status === "False");
      const on = /\/domains\/example\.com\/records/;
      world.digitalocean.faults.inject({ kind: "status", status: 403 }, { on, times: Infinity });
      change(kind);
      await until("its condition shows the address", () => /still holds/.test(condition(kind)?.message ?? ""));
      expect(held()).to.deep.equal(before);
      world.digitalocean.faults.clear();
      await until("b1 follows", () => held().length === 1 && `${held()}` !== `${before}`);
      edit(kind, { dnsRecordSet: { ...FORMER, recordName: "b3" } });
      await until("the new name is in place", () => condition(kind)?.status === "True");
      await until("b1 is gone", () => held().length === 0);
    });
  }
});

type Status = Pick<NodeDNSRecordSetStatus, "dns" | "begunRecords" | "conditions" | "addresses" | "retryAt">;
