import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../routed-world.js";

/** A wait that the operator should not need. */
const REAL_MS = 20_000;

describe("operator in process: a firewall whose list lags behind", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  /** The next list does not show that the node has joined the firewall. */
  const hideOnce = (node: string) => {
    const { state, journal } = made.world.digitalocean;
    const { id = "", config } = state.firewalls.byName(FIREWALL) ?? {};
    const droplet = made.world.droplet(node).id;
    state.firewalls.change(id, { dropletIds: config?.dropletIds.filter((each) => each !== droplet) ?? [] });
    const end = journal.subscribe(({ route }) => {
      if (route !== "GET /v2/firewalls") return;
      end();
      const { dropletIds } = state.firewalls.get(id).config;
      state.firewalls.change(id, { dropletIds: [...dropletIds, droplet] });
    });
  };

  it("keeps no node that the address left soon after it came", async () => {
    made = await RoutedWorld.create(["n1", "n2", "n3"], { patient: true });
    await made.readyOnFirst();
    await made.world.rest();
    made.serve({ node: "n2" });
    await made.settledOn("n2");
    hideOnce("n2");
    made.serve({ node: "n3" });
    await made.until("moved", () => made.nodeOf("a") === "n3", REAL_MS);
    await made.ready("a");
    await made.until("n2 has left", () => made.firewall()?.nodes.join() === "n3", REAL_MS);
    expect(made.status("a").firewall?.nodes).to.have.length(1);
  });
});
