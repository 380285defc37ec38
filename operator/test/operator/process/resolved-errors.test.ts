import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { CLOUD_CALL_SECONDS, CREDENTIALS_CHECK_SECONDS, MINUTE_MS, SECOND_MS } from "../../../src/timings.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The outage is over: a status may take the longest wait of an account that does not answer, and some. */
const SOON_MS = 30_000;
/** Until the next check of the credentials, the end of its calls, and some. */
const NOTICED_MS = (CREDENTIALS_CHECK_SECONDS + CLOUD_CALL_SECONDS) * SECOND_MS + MINUTE_MS;

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

  it("a class and its issuer are not Ready for longer than a bound while the provider gives no answer at all", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { world } = made;
    made.addIssuer({ routedIPFirewallName: undefined });
    const spec = { issuerRef: { name: "do", namespace: "default" } };
    const metadata = { name: "do" };
    world.kubernetes.create({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata, spec });
    const first = world.start();
    const ready = () => {
      const { status } = (world.kubernetes.get({
        apiVersion: GROUP_VERSION,
        kind: "ClusterRoutedIPClass",
        name: "do",
      }) ?? {}) as Conditioned;
      return status?.conditions?.find(({ type }) => type === "Ready")?.status;
    };
    await world.until("the class to be Ready", () => ready() === "True");
    world.digitalocean.faults.inject({ kind: "timeout" }, { on: /./, times: Infinity });
    const from = world.clock.now();
    await world.until("the class to report it", () => ready() === "False");
    expect(world.clock.now() - from).to.be.below(NOTICED_MS);
    await first.stop();
    world.start();
    const restarted = world.clock.now();
    const seen = new Set<string | undefined>();
    await world.until("the bound to pass for a new process, too", () => {
      seen.add(ready());
      return world.clock.now() - restarted > NOTICED_MS;
    });
    expect([...seen], "what the conditions say after the restart").to.deep.equal(["False"]);
  });
});
