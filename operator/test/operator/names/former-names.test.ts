/** A new name cannot be written yet: until then the former one, which clients still use, follows the addresses. */

import type { DnsRecordSet } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { PUBLISHING_KINDS, PublishedName, type PublishingKind } from "./published-name.js";

const FORMER: DnsRecordSet = { zone: "example.com", recordName: "b1", ttl: 90, deletionPolicy: "Delete" };
const LACKING: DnsRecordSet = { ...FORMER, zone: "lacking.example" };
const OBSTACLES: Readonly<Record<string, DnsRecordSet>> = {
  "a zone that the account lacks": LACKING,
  "a CNAME on the new name": { ...FORMER, recordName: "b2" },
  "another provider without a token": { ...FORMER, provider: "cloudflare" },
};

describe("operator in process: a former name while the new one cannot be written", function () {
  this.timeout(240_000);
  let scene: PublishedName;

  beforeEach(async () => {
    scene = await PublishedName.start(["n1", "n2"]);
    const cname = { type: "CNAME", name: "b2", data: "other.example.com." };
    scene.world.digitalocean.state.dns.addRecord("example.com", cname);
  });

  afterEach(() => scene.close());

  const records = () => scene.records("b1");
  const held = () => records().map(({ data }) => data);
  const isWritten = (kind: PublishingKind) =>
    held().length === (kind === "RoutedIP" ? 1 : 2) && scene.dnsReady(kind)?.status === "True";
  const isUpToDate = (kind: PublishingKind) => {
    const { status, message = "" } = scene.dnsReady(kind) ?? {};
    return status === "False" && message.includes("keeps the former name b1.example.com up to date");
  };
  /** Of two nodes with addresses, one dies; a RoutedIP gets another address. */
  function change(kind: PublishingKind): void {
    if (kind === "RoutedIP") scene.edit(kind, { routedIP: scene.ips[1] ?? "" });
    else scene.world.setReady("n2", false);
  }

  for (const kind of PUBLISHING_KINDS) {
    for (const [obstacle, dnsRecordSet] of Object.entries(OBSTACLES)) {
      it(`follows the addresses of a ${kind}, with ${obstacle}`, async () => {
        scene.add(kind, FORMER);
        await scene.until("b1 is written", () => isWritten(kind));
        const before = held();
        scene.edit(kind, { dnsRecordSet });
        await scene.until("its condition shows it", () => isUpToDate(kind));
        change(kind);
        await scene.until("b1 holds what is up", () => held().length === 1 && `${held()}` !== `${before}`);
        await scene.until("that is on record", () => `${scene.status(kind).dns?.values}` === `${held()}`);
        expect(scene.status(kind).dns).to.include({ zone: "example.com", recordName: "b1", provider: "digitalocean" });
        expect(records().map(({ ttl }) => ttl)).to.deep.equal([90]);
        await scene.until("its condition shows it still", () => isUpToDate(kind));
      });
    }

    it(`does not stand for the new one of a ${kind} while that is read`, async () => {
      scene.add(kind, FORMER);
      await scene.until("b1 is written", () => isWritten(kind));
      scene.world.clock.speed = 20;
      scene.world.digitalocean.faults.inject({ kind: "delay", ms: 4_000 }, { on: /^GET .*domains/, times: Infinity });
      scene.edit(kind, { dnsRecordSet: { ...FORMER, recordName: "b9" } });
      const { generation } = scene.world.kubernetes.get(scene.refTo(kind))?.metadata ?? {};
      const seen = new Set<string>();
      await scene.until("DNSReady is True for this spec", () => {
        const { status, reason, observedGeneration } = scene.dnsReady(kind) ?? {};
        if (observedGeneration === generation) seen.add(`${status}/${reason}`);
        return observedGeneration === generation && status === "True";
      });
      expect(scene.records("b9").map(({ data }) => data)).to.deep.equal(scene.status(kind).dns?.values);
      expect([...seen]).to.deep.equal(["Unknown/UnderWay", "True/Observed"]);
    });

    it(`shows what the former name of a ${kind} still holds, where that cannot be changed either`, async () => {
      scene.add(kind, FORMER);
      await scene.until("b1 is written", () => isWritten(kind));
      const before = held();
      scene.edit(kind, { dnsRecordSet: LACKING });
      await scene.until("its condition shows it", () => scene.dnsReady(kind)?.status === "False");
      const on = /\/domains\/example\.com\/records/;
      scene.world.digitalocean.faults.inject({ kind: "status", status: 403 }, { on, times: Infinity });
      change(kind);
      await scene.until("its condition shows the address", () =>
        /still holds/.test(scene.dnsReady(kind)?.message ?? ""),
      );
      expect(held()).to.deep.equal(before);
      scene.world.digitalocean.faults.clear();
      await scene.until("b1 follows", () => held().length === 1 && `${held()}` !== `${before}`);
      scene.edit(kind, { dnsRecordSet: { ...FORMER, recordName: "b3" } });
      await scene.until("the new name is in place", () => scene.dnsReady(kind)?.status === "True");
      await scene.until("b1 is gone", () => held().length === 0);
    });
  }
});
