import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../routed-ip/routed-world.js";

describe("operator in process: a firewall that the operator created under an earlier name", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const firewall = (name: string) => made.world.digitalocean.state.firewalls.byName(name);
  const status = () => made.world.kubernetes.get(made.refTo("do", "RoutedIPIssuer"))?.["status"] as Status | undefined;
  const formerNames = () => status()?.formerFirewalls?.map(({ name }) => name);

  interface Status {
    readonly createdFirewall?: { readonly name: string };
    readonly formerFirewalls?: readonly { readonly name: string }[];
  }

  async function renamed(routedIPReclaimPolicy: "Delete" | "Retain"): Promise<void> {
    made = await RoutedWorld.create(["n1"]);
    made.addIssuer({ routedIPReclaimPolicy });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    made.world.kubernetes.change(made.refTo("do", "RoutedIPIssuer"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), routedIPFirewallName: "next" },
    }));
    await made.until("the next one is recorded", () => status()?.createdFirewall?.name === "next");
  }

  it("goes when it is empty, and the later one goes with the issuer", async () => {
    await renamed("Delete");
    await made.until("it is gone", () => firewall(FIREWALL) === undefined && formerNames() === undefined);
    const notes = () => made.world.events("FirewallChanged").map((event) => `${event["message"] ?? event["note"]}`);
    await made.until("an Event says so", () =>
      notes().some((note) => note.startsWith('firewall "ingress" was deleted')),
    );
    made.world.kubernetes.delete(made.refTo("a"));
    made.world.kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
    await made.until("the next one is gone", () => firewall("next") === undefined);
  });

  it("stays under Retain, and on record", async () => {
    await renamed("Retain");
    await made.until("it is empty", () => made.firewall()?.nodes.length === 0);
    await made.world.rest();
    expect([formerNames(), firewall(FIREWALL)?.config.name]).to.deep.equal([[FIREWALL], FIREWALL]);
  });
});
