import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../routed-world.js";

describe("operator in process: a removal from a firewall that refused an addition", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  for (const part of ["rules", "droplets"] as const) {
    it(`does not wait for the pause after refused ${part}`, async () => {
      made = await RoutedWorld.create(["n1", "n2", "n3"], { patient: true });
      await made.readyOnFirst();
      await made.world.rest();
      const { faults, journal } = made.world.digitalocean;
      const on = `POST /v2/firewalls/{firewall_id}/${part}`;
      const after = journal.mark;
      faults.inject({ kind: "status", status: 422 }, { on, times: Number.POSITIVE_INFINITY });
      if (part === "rules") made.removePod("n1");
      if (part === "rules") made.addPod("n1", 8443);
      else made.serve({ node: "n2" }, { node: "n3" });
      const refusals = part === "rules" ? 1 : 2;
      await made.until("the firewall waits", () => journal.calls({ on, after }).length >= refusals, 20_000);
      await made.until("FirewallReady says so", () => made.condition("a", "FirewallReady") === "False/Invalid", 20_000);
      const deletedAt = made.world.clock.now();
      made.world.kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
      made.world.kubernetes.delete(made.refTo("a"));
      await made.until("gone", () => made.object("a") === undefined);
      expect(made.world.clock.now() - deletedAt).to.be.below(20_000);
      expect(made.firewall()?.nodes ?? []).to.deep.equal([]);
    });
  }
});
