import { expect } from "chai";
import { describe, it } from "mocha";
import { FIREWALL, FOREIGN } from "../model-cluster.js";
import type { ModelWorld } from "../model-world.js";
import { altered, settled } from "../routed-plans.js";

const NEXT = "next";
const [N1, N2] = ["digitalocean://n1", "digitalocean://n2"];

/** The issuer names this firewall from now on. */
function rename(made: ModelWorld, firewallName: string): void {
  const resolvedClass = made.resolvedClass.get("a");
  if (resolvedClass === undefined) throw new Error("no class");
  made.resolvedClass.set("a", { ...resolvedClass, firewallName });
}

/** The address is on n1, which still answers; both nodes serve. An assignment takes 4 s. */
function draining(nodes: readonly string[]): ModelWorld {
  const made = settled();
  made.assignMs = 4000;
  made.serve("web", ...nodes);
  made.firewalls.set(NEXT, { id: "next", name: NEXT, rules: [FOREIGN], nodes: [], pending: false });
  made.editNode("n1", { unschedulable: true });
  return made;
}

/** Runs for 8 s, and looks at every moment whether the holder's port is open. */
function watch(made: ModelWorld): void {
  for (let at = 0; at < 8000; at += 500) {
    made.run("a");
    const holder = made.holderOf("a") ?? "";
    expect(made.isOpen("web", holder), `after ${at} ms on ${holder}`).to.equal(true);
    made.pass(500);
  }
}

describe("a firewall that the issuer names no more", () => {
  it("keeps the holder's port open until the address has left the holder, if the name changes during the move", () => {
    const made = draining(["n1", "n2"]);
    made.run("a");
    made.pass(1000);
    rename(made, NEXT);
    watch(made);
    expect(made.holderOf("a")).to.equal("n2");
    expect(made.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [] });
    expect(made.firewalls.get(NEXT)?.nodes).to.deep.equal([N2]);
  });

  it("keeps it, too, if the name changes at the time of the drain", () => {
    const made = draining(["n1", "n2"]);
    rename(made, NEXT);
    watch(made);
    expect(made.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [] });
    expect(made.firewalls.get(NEXT)?.nodes).to.deep.equal([N2]);
  });

  it("loses a holder that no other node can relieve once the holder is in the next one", () => {
    const made = draining(["n1"]);
    rename(made, NEXT);
    watch(made);
    expect(made.holderOf("a")).to.equal("n1");
    expect(made.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [] });
    expect(made.firewalls.get(NEXT)?.nodes).to.deep.equal([N1]);
  });

  it("waits for the holder to join the next one, too, between two tries to move the address", () => {
    const made = draining(["n1", "n2"]);
    rename(made, NEXT);
    const { memory, now } = made.snapshot("a");
    const waits = { memory: { ...memory, nodeRetryAt: new Map([[N2, now + 60_000]]) } };
    const changes = altered(made, waits).steps.flatMap(({ actions }) =>
      actions.flatMap((action) => (action.do === "change-firewall" ? action.change : [])),
    );
    expect(changes.map(({ name, addNodes }) => [name, addNodes]).at(-1)).to.deep.equal([NEXT, [N1]]);
    expect(altered(made, waits).chains, "it leaves nothing yet").to.deep.equal([]);
  });

  it("loses nothing while the next one, which looked complete, cannot be read", () => {
    const made = draining(["n1"]);
    const { rules = [] } = made.firewalls.get(FIREWALL) ?? {};
    made.firewalls.set(NEXT, { id: "next", name: NEXT, rules, nodes: [N1], pending: false });
    rename(made, NEXT);
    const { firewall } = made.snapshot("a");
    if (firewall === undefined) throw new Error("no firewall");
    const failure = { reason: "ProviderUnavailable", message: "no answer" } as const;
    expect(altered(made, {}).chains, "it is read").to.have.length(1);
    expect(altered(made, { firewall: { ...firewall, failure } }).chains).to.deep.equal([]);
  });

  it("keeps a holder that the next one has no room for", () => {
    const made = draining(["n1"]);
    const others = Array.from({ length: 10 }, (_, index) => `digitalocean://other${index}`);
    made.firewalls.set(NEXT, { id: "next", name: NEXT, rules: [FOREIGN], nodes: others, pending: false });
    rename(made, NEXT);
    watch(made);
    expect(made.firewalls.get(FIREWALL)?.nodes).to.deep.equal([N1]);
  });

  it("keeps its rules while the next one does not exist, though no node serves", () => {
    const made = draining([]);
    made.nodes.delete("n1");
    rename(made, "absent");
    made.settle();
    expect(made.firewalls.get(FIREWALL)?.rules).to.have.length(2);
  });

  it("loses a holder whose node has left the cluster", () => {
    const made = draining([]);
    made.nodes.delete("n1");
    rename(made, NEXT);
    made.settle();
    expect(made.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [] });
  });
});
