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

  /** Another issuer of the account created an additional one once; the answer got lost, and nothing was created. */
  async function startWithRecord(): Promise<void> {
    made = await RoutedWorld.create(["n1"]);
    made.addIssuer({}, "default", "old");
    const additionalFirewalls = [{ name: SECOND, id: "", createdTime: "2020-01-01T00:00:00Z" }];
    made.world.kubernetes.change(issuer(), (object) => ({ ...object, status: { additionalFirewalls } }), "status");
    expect(recorded()).to.deep.equal(additionalFirewalls);
    await made.readyOnFirst();
  }

  /** A person creates one of this name. */
  async function expectUntouched(): Promise<void> {
    const { firewalls } = made.world.digitalocean.state;
    const config = firewalls.byName(FIREWALL)?.config;
    const inbound = (config?.inbound ?? []).map((rule) => ({ ...rule, ports: "22" }));
    const own = firewalls.add({
      name: SECOND,
      inbound,
      dropletIds: [made.world.digitalocean.state.addDroplet({ name: "vm" }).id],
    });
    await made.world.clock.sleep(300_000);
    await made.world.rest();
    expect(firewalls.get(own.id).config.inbound).to.deep.equal(inbound);
  }

  it("counts no longer once it is off the record", async () => {
    await startWithRecord();
    await made.until("it is off the record", () => recorded() === undefined);
    await expectUntouched();
  });

  it("counts no longer once the issuer is gone", async () => {
    await startWithRecord();
    made.world.kubernetes.delete(issuer());
    await made.until("the issuer is gone", () => made.object("old", "RoutedIPIssuer") === undefined);
    await expectUntouched();
  });
});
