import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The outage is over: a status may take the longest wait of an account that does not answer, and some. */
const SOON_MS = 30_000;

describe("operator in process: errors that are over", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("an issuer without RoutedIPs is Ready soon after the provider answers again", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { world } = made;
    const { faults } = world.digitalocean;
    const fault = faults.inject({ kind: "status", status: 503 }, { on: /./, times: Infinity });
    made.addIssuer({ routedIPFirewallName: undefined });
    world.start();
    const ref = { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", namespace: "default", name: "do" };
    const ready = () => {
      const { status } = (world.kubernetes.get(ref) ?? {}) as Conditioned;
      return status?.conditions?.find(({ type }) => type === "Ready")?.status;
    };
    await world.until("the issuer to report the outage", () => ready() === "False");
    fault.cancel();
    const from = world.clock.now();
    await world.until("the issuer to be Ready", () => ready() === "True");
    expect(world.clock.now() - from).to.be.below(SOON_MS);
  });
});
