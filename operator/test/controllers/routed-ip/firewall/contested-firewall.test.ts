import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../routed-world.js";

const UNDOINGS = 3;
/** A wait that the operator should not need. */
const REAL_MS = 20_000;

describe("operator in process: a firewall that others change", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("has the RoutedIP name the new name once somebody has renamed it, and is made anew", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    await made.settledOn("n1");
    const { firewalls } = made.world.digitalocean.state;
    firewalls.change(firewalls.byName(FIREWALL)?.id ?? "", { name: "web" });
    await made.until("it says so", () => made.condition("a", "FirewallReady") === "True/FirewallRenamed", REAL_MS);
    await made.settledOn("n1");
    expect(made.status("a").conditions?.find(({ type }) => type === "FirewallReady")?.message).to.include(
      `the former firewall "${FIREWALL}" is called "web" now`,
    );
  });

  it("has the Events say that somebody else had removed the rule and the node", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    await made.settledOn("n1");
    const { firewalls } = made.world.digitalocean.state;
    firewalls.change(firewalls.byName(FIREWALL)?.id ?? "", { inbound: [], dropletIds: [] });
    await made.settledOn("n1");
    const notes = () => made.world.events("FirewallChanged").map((event) => `${event["message"] ?? event["note"]}`);
    const has = (part: string) => notes().some((note) => note.includes(part));
    await made.until(
      "both are reported",
      () => has("removed or changed tcp 443") && has("somebody else had removed n1"),
      REAL_MS,
    );
    expect(notes().find((note) => note.includes("tcp 443"))).to.include("loadBalancerSourceRanges");
  });

  it("has the RoutedIP name the rule and the node that are taken out again and again, and goes on adding them", async () => {
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
    expect(message).to.include(
      `rule tcp 443 in firewall "${FIREWALL}", node n1 in firewall "${FIREWALL}", last seen at `,
    );
  });
});
