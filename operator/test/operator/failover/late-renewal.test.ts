import { LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { SECOND_MS } from "../../../src/timings.js";
import { World } from "../world.js";

/** A try each second: with the usual two, the last one before the renew deadline could come too early. */
const FLAGS = { "leader-elect": "true", "leader-elect-retry-period": "1" };
/** No write starts later than this after the last renewal. */
const FENCE_SHUTS_MS = 8_000;
const GRACE_SECONDS = 20;

describe("operator in process: the API server is away for less than the renew deadline", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  /** ms since the epoch. */
  function renewedAt(): number {
    const [lease] = world.kubernetes
      .list("coordination.k8s.io/v1", "Lease")
      .filter(({ metadata }) => metadata.name === LEASE_NAME);
    const spec = lease?.["spec"] as { readonly renewTime?: string } | undefined;
    return Date.parse(spec?.renewTime ?? "");
  }

  async function renewal(from: number): Promise<number> {
    await world.until("a renewal", () => renewedAt() >= from);
    return renewedAt();
  }

  function cutOff(): void {
    world.kubernetes.setFaults(() => ({ kind: "reset" }));
    world.kubernetes.resetConnections();
  }

  it("moves the address of a failed node as soon as the Lease is renewed", async () => {
    world = await World.create({ speed: 4 });
    for (const name of ["n1", "n2"]) world.addNode(name);
    const [ip = ""] = world.addAddresses(1);
    world.start(FLAGS);
    world.addPool("web", { ips: [ip], nodePreference: "Name", gracePeriodSeconds: GRACE_SECONDS });
    await world.fulfilled("web");
    const failed = await renewal(world.clock.now());
    world.setReady("n1", false);
    const last = await renewal(failed + GRACE_SECONDS * SECOND_MS - FENCE_SHUTS_MS);
    cutOff();
    // The grace period ends while no write may start, and before the Lease is lost.
    await world.clock.sleep(last + FENCE_SHUTS_MS + 600 - world.clock.now());
    expect(world.holder(ip)).to.equal(`digitalocean://${world.droplet("n1")?.id}`);
    world.kubernetes.setFaults(undefined);
    const back = world.clock.now();
    await world.until("moved", () => world.holder(ip) === `digitalocean://${world.droplet("n2")?.id}`);
    expect(world.clock.now() - back).to.be.below(8_000);
    expect(world.logs.join("\n")).to.not.include("lease lost");
  });
});
