import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const RELEASE = /^DELETE .*\/reserved_ips\//;
const POOL = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "default", name: "web" };
/** The retries of a call would else end it within the outage. */
const OUTAGE_MS = 120_000;

describe("operator in process: the release of an address fails", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  /** More addresses than nodes: some are in no record. */
  async function start(desiredIPs: number): Promise<void> {
    world = await World.create({ nodes: 1, speed: 60 });
    const dnsRecordSet = { zone: "example.com", recordName: "www" };
    world.addPool("web", { desiredIPs, reclaimPolicy: "Delete", dnsRecordSet });
    world.start();
    await world.until("active", () => world.status("web").counts?.active === 1);
    await world.rest();
  }

  it("though the provider did it, and only the answer was lost: the pool is gone soon", async () => {
    await start(1);
    const { faults } = world.digitalocean;
    faults.inject({ kind: "status", status: 504, when: "after" }, { on: RELEASE, times: 1 });
    faults.inject({ kind: "status", status: 503 }, { on: RELEASE, times: Number.POSITIVE_INFINITY });
    world.kubernetes.delete(POOL);
    await world.clock.sleep(OUTAGE_MS);
    expect(world.kubernetes.get(POOL)).to.equal(undefined);
    await world.until("the Event", () => world.events("Released").length === 1);
    await world.rest();
    expect(world.events("Released"), "once for the address").to.have.length(1);
  });

  it("and no read says more for long: the Event comes once a list shows that the address is gone", async () => {
    await start(1);
    const { faults, journal } = world.digitalocean;
    const wasSent = () => journal.calls({ on: RELEASE }).length > 0;
    const later = ({ path }: { readonly path: string }) => path.includes("/reserved_ips") && wasSent();
    faults.inject({ kind: "status", status: 504, when: "after" }, { on: RELEASE, times: 1 });
    faults.inject({ kind: "status", status: 503 }, { on: later, times: Number.POSITIVE_INFINITY });
    world.kubernetes.delete(POOL);
    await world.until("the release was sent", wasSent);
    await world.clock.sleep(10 * OUTAGE_MS);
    faults.clear();
    await world.until("it is gone", () => world.kubernetes.get(POOL) === undefined);
    await world.until("the Event", () => world.events("Released").length === 1);
    expect(String(world.events("Released")[0]?.["message"])).to.match(
      /was released: the account does not have it any more/,
    );
  });

  it("for a while: the status is written for each try at most, also if the records stay", async () => {
    await start(3);
    const { faults, journal } = world.digitalocean;
    faults.inject({ kind: "status", status: 503 }, { on: RELEASE, times: Number.POSITIVE_INFINITY });
    world.kubernetes.delete(POOL);
    const versions = new Set<string | undefined>();
    const end = world.kubernetes.onRequest(() => versions.add(world.kubernetes.get(POOL)?.metadata.resourceVersion));
    await world.clock.sleep(OUTAGE_MS);
    end();
    expect(versions.size).to.be.at.most(journal.calls({ on: RELEASE }).length);
  });
});
