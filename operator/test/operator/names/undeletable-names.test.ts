/** The provider refuses to delete the records of a former name: the status follows the new one all the same. */

import type { DnsRecordSet } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { PUBLISHING_KINDS, PublishedName, type PublishingKind } from "./published-name.js";

const DELETION = /^DELETE .*\/records/;

describe("operator in process: a former name whose records the provider does not delete", function () {
  this.timeout(240_000);
  let scene: PublishedName;

  beforeEach(async () => {
    scene = await PublishedName.start(["n1", "n2"]);
  });

  afterEach(() => scene.close());

  const recordsOf = (recordName: string): DnsRecordSet => ({
    zone: "example.com",
    recordName,
    ttl: 30,
    deletionPolicy: "Delete",
  });
  const zone = (name: string) => scene.records(name).map(({ data }) => data);

  /** The addresses of the resource are others from now on. */
  function change(kind: PublishingKind): void {
    if (kind === "FloatingIPPool") scene.edit(kind, { ips: scene.ips });
    else if (kind === "RoutedIP") scene.edit(kind, { routedIP: scene.ips[1] ?? "" });
    else scene.world.addNode("n3");
  }

  const follows = (kind: PublishingKind) => {
    const { dns } = scene.status(kind);
    return dns?.recordName === "b2" && dns.values.join() === zone("b2").sort().join();
  };

  for (const kind of PUBLISHING_KINDS) {
    for (const code of [403, 500]) {
      it(`does not keep the status of a ${kind} from its new name, with status ${code}`, async () => {
        scene.add(kind, recordsOf("b1"), scene.ips.slice(0, 1));
        await scene.until("b1 is written", () => scene.dnsReady(kind)?.status === "True");
        const [former] = zone("b1");
        scene.world.digitalocean.faults.inject({ kind: "status", status: code }, { on: DELETION, times: Infinity });
        scene.edit(kind, { dnsRecordSet: recordsOf("b2") });
        await scene.until("b2 is on record", () => follows(kind) && zone("b2").length > 0);
        const before = `${zone("b2")}`;
        change(kind);
        await scene.until("its addresses are on record", () => `${zone("b2")}` !== before && follows(kind));
        const { addresses, begunRecords = [] } = scene.status(kind);
        if (addresses !== undefined)
          expect(addresses.map(({ address }) => address).sort()).to.deep.equal(zone("b2").sort());
        expect(begunRecords.map(({ recordName }) => recordName)).to.deep.equal(["b1"]);
        await scene.until("the failure is a condition", () => scene.dnsReady(kind)?.status === "False");
        // The operator tries again what may pass within seconds.
        if (code === 403)
          await scene.until("the next try is on record", () => scene.status(kind).retryAt !== undefined);
        expect(zone("b1")).to.include(former);
        scene.world.digitalocean.faults.clear();
        await scene.until("b1 is gone", () => zone("b1").length === 0 && scene.status(kind).begunRecords === undefined);
        await scene.until("it is ready", () => scene.dnsReady(kind)?.status === "True");
      });
    }
  }
});
