/** How long the deletion of a pool waits for resolvers, and which TTL it names. */

import { expect } from "chai";
import { describe, it } from "mocha";
import { NodeNames } from "../../src/claims/addresses-in-dns.js";
import { timestamp } from "../../src/clock.js";
import { cluster, rest } from "../controllers/floating-ip-pool/support/pool-plans.js";
import { FakeClock } from "../support/time/fake-clock.js";

const DAY_SECONDS = 86_400;

describe("the wait for resolvers before an address is released", () => {
  function deleted(ttl: number) {
    const dnsRecordSet = { recordName: "web", zone: "example.com", ttl, deletionPolicy: "Delete" } as const;
    const cloud = rest(cluster(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete", dnsRecordSet }));
    const { metadata } = cloud.pool("web");
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    return rest(cloud);
  }

  for (const [ttl, named, waits] of [
    [1, 300, 300],
    [7200, 7200, 7200],
    [30 * DAY_SECONDS, 30 * DAY_SECONDS, 7 * DAY_SECONDS],
  ] as const) {
    it(`lasts ${waits} s with a TTL of ${ttl} s`, () => {
      const cloud = deleted(ttl);
      const { until = 0, ttl: seconds } = cloud.plan("web").deletion ?? {};
      expect([(until - cloud.now) / 1000, seconds]).to.deep.equal([waits, named]);
      cloud.now += waits * 1000 - 1000;
      expect(rest(cloud).addresses.size, "before its end").to.equal(1);
      cloud.now += 1000;
      expect(rest(cloud).addresses.size, "at its end").to.equal(0);
    });
  }

  it("names no TTL that explains less than the whole wait", () => {
    const cloud = deleted(7200);
    const { spec } = cloud.pool("web");
    const dnsRecordSet = { recordName: "web", zone: "example.com", ttl: 60, deletionPolicy: "Delete" } as const;
    cloud.edit("web", { spec: { ...spec, dnsRecordSet } });
    expect(cloud.plan("web").deletion).to.have.property("until");
    expect(cloud.plan("web").deletion).to.not.have.property("ttl");
  });

  it("lasts 7 days at most after an address has left the name of a NodeDNSRecordSet", () => {
    const clock = new FakeClock();
    const names = new NodeNames(clock);
    const resource = { kind: "NodeDNSRecordSet", namespace: "default", name: "names", uid: "u" } as const;
    names.put(resource, { values: ["203.0.113.7"], ttl: 30 * DAY_SECONDS });
    names.drop("u");
    expect((names.of("203.0.113.7")?.until ?? 0) - clock.now()).to.equal(7 * DAY_SECONDS * 1000);
  });
});
