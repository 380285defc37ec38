import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const TROUBLE_MS = 20 * 60_000;
/** Runs of all controllers in that time: several a minute, and far from spinning. */
const RUNS = 1_000;

const TROUBLE = {
  "an outage of the cloud": { kind: "status", status: 503 },
  "a token that is refused": { kind: "status", status: 401 },
  "a limit that is used up": { kind: "status", status: 429 },
  "answers that come late": { kind: "delay", ms: 25_000 },
} as const;

describe("operator in process: long trouble", function () {
  this.timeout(300_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  for (const [what, fault] of Object.entries(TROUBLE)) {
    it(`keeps no controller busy: ${what}`, async () => {
      made = await RoutedWorld.create(["n1", "n2", "n3"]);
      const { world } = made;
      const { digitalocean } = world;
      const ips = [1, 2].map(() => digitalocean.state.addAddress().ip);
      world.addPool("web", { ips, dnsRecordSet: { zone: "example.com", recordName: "www" } });
      made.addIssuer();
      made.addRouted("a", {});
      made.serve({ node: "n3" });
      const { operator } = world.start();
      await world.fulfilled("web");
      await made.ready("a");
      const outage = digitalocean.faults.inject(fault, { on: /./, times: Infinity });
      const before = runsIn(await operator.registry.text());
      await world.clock.sleep(TROUBLE_MS);
      const runs = runsIn(await operator.registry.text()) - before;
      expect(runs, "runs of all controllers").to.be.below(RUNS);
      outage.cancel();
      digitalocean.state.setHolder(ips[0] ?? "", null);
      await world.until("seen and mended", () => world.holder(ips[0] ?? "") !== undefined);
    });
  }
});

function runsIn(metrics: string): number {
  const lines = metrics.matchAll(/^controller_runtime_reconcile_total\{[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}
