import { LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const LEASE = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: "default", name: LEASE_NAME };
/** What is left of the drain, of the aborted runs and of the connections. */
const MOST_MS = 15_000;

describe("operator in process: a stop while the provider does not answer", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("gives the Lease up and ends within a bound, though reads hang", async () => {
    const flags = { "leader-elect": "true", "shutdown-timeout": "2" };
    made = await RoutedWorld.create(["n1"], { flags, patient: true });
    const { world } = made;
    const holder = () => {
      const spec = world.kubernetes.get(LEASE)?.["spec"] as { readonly holderIdentity?: string } | undefined;
      return spec?.holderIdentity ?? "";
    };
    made.addIssuer();
    made.addRouted("a", {});
    made.serve({ node: "n1" });
    const running = world.start();
    await made.ready("a");
    expect(holder()).not.to.equal("");
    world.digitalocean.faults.inject({ kind: "delay", ms: 600_000 }, { on: /^GET/, times: Infinity });
    // The run of an issuer waits for its reads.
    made.addIssuer({ routedIPFirewallName: "other" }, "default", "second");
    const { journal } = world.digitalocean;
    const before = journal.mark;
    await world.until("a read that hangs", () => journal.count({ after: before }) > 0);
    const from = world.clock.now();
    await running.stop();
    expect(holder(), "the Lease is free").to.equal("");
    expect(world.clock.now() - from).to.be.below(MOST_MS);
  });
});
