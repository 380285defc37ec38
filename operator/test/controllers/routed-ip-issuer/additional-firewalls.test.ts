import type { RoutedIPIssuerStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../routed-ip/routed-world.js";

const SECOND = `${FIREWALL}-2`;

describe("operator in process: what an issuer has on record of additional firewalls", function () {
  this.timeout(60_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const issuer = () => made.refTo("old", "RoutedIPIssuer");
  const recorded = () =>
    (made.object("old", "RoutedIPIssuer")?.["status"] as RoutedIPIssuerStatus | undefined)?.additionalFirewalls;

  it("stays while the account is not known, as after a restart during an outage", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { firewalls } = made.world.digitalocean.state;
    firewalls.add({ name: FIREWALL });
    const { id } = firewalls.add({ name: SECOND, dropletIds: [made.world.droplet("n1").id] });
    made.addIssuer({}, "default", "old");
    const additionalFirewalls = [{ name: SECOND, id, createdTime: "2020-01-01T00:00:00Z" }];
    const status = { additionalFirewalls };
    made.world.kubernetes.change(issuer(), (object) => ({ ...object, status }), "status");
    made.world.digitalocean.faults.inject({ kind: "status", status: 503 }, { times: Number.POSITIVE_INFINITY });
    made.world.start();
    await made.until("the outage is known", () =>
      made.condition("old", "Accepted", "RoutedIPIssuer").startsWith("False"),
    );
    await made.world.rest();
    expect(recorded()).to.deep.equal(additionalFirewalls);
  });
});
