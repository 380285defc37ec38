import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { definitionsWithoutIntent, redefine } from "../process/older-definitions.js";

const CREATE = /^POST \/v2\/reserved_ips$/;
const RESYNC_SECONDS = 600;

describe("operator in process: a RoutedIP under an older CRD", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("gets no address, which /readyz and an Event report, and gets one once the CRD is of this release", async () => {
    made = await RoutedWorld.create(["n1"], {
      definitions: definitionsWithoutIntent(),
      flags: { resync: `${RESYNC_SECONDS}` },
    });
    const { world } = made;
    const { kubernetes, digitalocean } = world;
    made.addIssuer();
    made.serve({ node: "n1" });
    made.addRouted("a", {});
    const { operator } = world.start();
    await made.until("Assigned reports it", () => made.condition("a", "Assigned").startsWith("False/CRDTooOld"));
    await made.until("Event", () => world.events("CRDTooOld").length > 0);
    expect(operator.health.report("readyz").text).to.include("CRD too old: the API server drops fields of RoutedIP");
    await world.clock.sleep(2 * RESYNC_SECONDS * 1000);
    expect(digitalocean.journal.count({ on: CREATE })).to.equal(0);

    redefine(kubernetes);
    const appliedAt = world.clock.now();
    kubernetes.compact();
    kubernetes.resetConnections();
    await made.ready("a");
    expect(world.clock.now() - appliedAt, "the watch has ended, and all is listed anew").to.be.below(60_000);

    expect(digitalocean.journal.count({ on: CREATE })).to.equal(1);
    await made.until("ready", () => operator.health.report("readyz").ok);
  });
});
