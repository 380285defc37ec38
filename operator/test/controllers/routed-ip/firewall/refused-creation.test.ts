import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../routed-world.js";

describe("operator in process: a firewall that the API does not let the operator create", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("is not the operator's when a person creates it, and stays when the issuer goes", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { faults, state } = made.world.digitalocean;
    const on = "POST /v2/firewalls";
    faults.inject({ kind: "status", status: 403 }, { on, times: Number.POSITIVE_INFINITY });
    made.addIssuer({ routedIPReclaimPolicy: "Delete" });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    await made.until("it is refused", () => made.condition("a", "FirewallReady") === "False/Unauthorized");
    const outbound = [{ protocol: "tcp", ports: "1-65535", target: { addresses: ["0.0.0.0/0"] } }] as const;
    const own = state.firewalls.add({ name: FIREWALL, outbound });
    await made.ready("a");
    for (const ref of [made.refTo("a"), made.refTo("do", "RoutedIPIssuer")]) made.world.kubernetes.delete(ref);
    await made.until("the issuer is gone", () => made.object("do", "RoutedIPIssuer") === undefined);
    expect(state.firewalls.byName(FIREWALL)?.id).to.equal(own.id);
  });
});
