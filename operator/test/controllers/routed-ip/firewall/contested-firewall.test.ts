import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../routed-world.js";

const UNDOINGS = 3;

describe("operator in process: a firewall that another program resets again and again", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("has the RoutedIP name the rule and the node, while the operator goes on adding them", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    await made.settledOn("n1");
    const { firewalls } = made.world.digitalocean.state;
    for (let at = 0; at < UNDOINGS; at += 1) {
      expect(made.condition("a", "Conflict"), `after ${at}`).to.equal("False/Observed");
      firewalls.change(firewalls.byName(FIREWALL)?.id ?? "", { inbound: [], dropletIds: [] });
      await made.settledOn("n1");
    }
    await made.until("it says so", () => made.condition("a", "Conflict") === "True/ForeignWriter");
    const { message } = made.status("a").conditions?.find(({ type }) => type === "Conflict") ?? {};
    expect(message).to.include(`rule tcp 443 in firewall "${FIREWALL}", node n1 in firewall "${FIREWALL}"; fix:`);
  });
});
