import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../routed-ip/routed-world.js";

const HOUR_MS = 3_600_000;

describe("operator in process: a deleted issuer whose firewall has what others added", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const issuer = () => made.object("do", "RoutedIPIssuer");
  const message = () => {
    const { conditions = [] } = (issuer()?.["status"] ?? {}) as { conditions?: { type: string; message: string }[] };
    return conditions.find(({ type }) => type === "Ready")?.message ?? "";
  };

  /** The operator created the firewall; somebody adds something to it, and then the RoutedIP and the issuer are deleted. */
  async function deleted(content: "a rule" | "a machine"): Promise<number> {
    made = await RoutedWorld.create(["n1"], { speed: 600 });
    made.addIssuer({ routedIPReclaimPolicy: "Delete" });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    const { state } = made.world.digitalocean;
    const { id = "", config } = state.firewalls.byName(FIREWALL) ?? {};
    const { inbound = [], dropletIds = [] } = config ?? {};
    const rules = inbound.map((rule) => ({ ...rule, ports: "8080" }));
    if (content === "a rule") state.firewalls.change(id, { inbound: [...inbound, ...rules] });
    else state.firewalls.change(id, { dropletIds: [...dropletIds, state.addDroplet({ name: "vm" }).id] });
    const since = made.world.clock.now();
    made.world.kubernetes.delete(made.refTo("a"));
    made.world.kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
    return since;
  }

  const stalled = () =>
    made.until("it is stalled", () => made.condition("do", "Stalled", "RoutedIPIssuer") === "True/FirewallNotEmpty");

  it("says what to do, and goes without the firewall after an hour", async () => {
    const since = await deleted("a rule");
    await stalled();
    expect(message()).to.match(
      /"ingress".* still has tcp 8080, .*; fix: .*owner of the account remove it.*; to keep .* to Retain/,
    );
    await made.until("it is gone", () => issuer() === undefined);
    // The time of the deletion is in whole seconds.
    expect(made.world.clock.now() - since).to.be.at.least(HOUR_MS - 1000);
    expect(made.firewall()?.ports).to.deep.equal(["8080"]);
    await made.until("an Event names it", () => made.world.events("CleanupAbandoned").length > 0);
    expect(JSON.stringify(made.world.events("CleanupAbandoned"))).to.include('firewall \\"ingress\\"');
  });

  it("goes at once when a person sets Retain, and leaves the firewall with a machine of others", async () => {
    await deleted("a machine");
    await stalled();
    made.world.kubernetes.change(made.refTo("do", "RoutedIPIssuer"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), routedIPReclaimPolicy: "Retain" },
    }));
    await made.until("it is gone", () => issuer() === undefined);
    expect(made.firewall()?.nodes).to.deep.equal(["vm"]);
    expect(made.world.events("CleanupAbandoned")).to.deep.equal([]);
  });

  it("goes with the firewall once a person has emptied that", async () => {
    await deleted("a rule");
    await stalled();
    const { firewalls } = made.world.digitalocean.state;
    firewalls.change(firewalls.byName(FIREWALL)?.id ?? "", { inbound: [] });
    await made.until("both are gone", () => issuer() === undefined && made.firewall() === undefined);
    expect(made.world.events("CleanupAbandoned")).to.deep.equal([]);
  });
});
