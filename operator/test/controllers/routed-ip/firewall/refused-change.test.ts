import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../routed-world.js";

describe("operator in process: a change of a firewall that the API refuses", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  // A try sends the call several times if its answer may pass.
  for (const [status, reason, calls] of [
    [403, "Unauthorized", 4],
    [500, "ProviderUnavailable", 9],
  ] as const) {
    it(`stays in FirewallReady after answer ${status}, also while the operator tries again, until it succeeds`, async () => {
      made = await RoutedWorld.create(["n1"], { patient: true });
      await made.readyOnFirst();
      await made.world.rest();
      const { faults, journal } = made.world.digitalocean;
      const on = "POST /v2/firewalls/{firewall_id}/rules";
      const after = journal.mark;
      faults.inject({ kind: "status", status }, { on, times: Number.POSITIVE_INFINITY });
      made.removePod("n1");
      made.addPod("n1", 8443);
      await made.until("it says so", () => made.condition("a", "FirewallReady") === `False/${reason}`, 20_000);
      const said = new Set<string>();
      const end = made.world.kubernetes.onRequest(() =>
        said.add(["FirewallReady", "Ready"].map((type) => made.condition("a", type)).join()),
      );
      await made.until("more tries", () => journal.calls({ on, after }).length >= calls, 60_000);
      end();
      expect([...said]).to.deep.equal([`False/${reason},False/${reason}`]);
      faults.clear();
      await made.until("open", () => made.condition("a", "FirewallReady") === "True/Observed", 60_000);
    });
  }
});
