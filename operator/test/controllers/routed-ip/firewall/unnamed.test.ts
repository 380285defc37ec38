import { expect } from "chai";
import { describe, it } from "mocha";
import { FIREWALL, FOREIGN } from "../model-cluster.js";
import type { ModelWorld } from "../model-world.js";
import { conditionOf, settled } from "../routed-plans.js";

const [N1, N2] = ["digitalocean://n1", "digitalocean://n2"];

/** The issuer names this firewall from now on. */
function name(made: ModelWorld, firewallName: string | undefined): void {
  const { firewallName: _former, ...resolvedClass } = made.resolvedClass.get("a") ?? ({} as never);
  made.resolvedClass.set("a", { ...resolvedClass, ...(firewallName !== undefined && { firewallName }) });
  made.settle();
}

/** The address is on n1 in the firewall, and the issuer has ceased to name it. */
function unnamed(): ModelWorld {
  const made = settled();
  name(made, undefined);
  return made;
}

const ports = (made: ModelWorld) => made.firewalls.get(FIREWALL)?.rules.map((rule) => rule.ports);
const nodes = (made: ModelWorld) => made.firewalls.get(FIREWALL)?.nodes;

describe("a firewall, once the issuer names none", () => {
  it("keeps what the operator added to it", () => {
    const made = unnamed();
    expect(ports(made)).to.deep.equal(["22", "443"]);
    expect(nodes(made)).to.deep.equal([N1]);
  });

  it("is named in the condition, with what stays in it and until when", () => {
    const { is, message } = conditionOf(unnamed().plan("a"), "FirewallReady");
    expect(is).to.equal("True/NoFirewall");
    expect(message).to.include('rule tcp 443, n1 stay in firewall "ingress" until');
  });

  it("is not mentioned where it is gone", () => {
    const made = unnamed();
    made.firewalls.delete(FIREWALL);
    expect(conditionOf(made.plan("a"), "FirewallReady").message).not.to.include("ingress");
  });

  it("holds up no move", () => {
    const made = unnamed();
    made.firewallKnown = false;
    made.serve("web", "n2");
    made.settle();
    expect(made.holderOf("a")).to.equal("n2");
    expect(made.firewallKnown, "it is not read either").to.equal(false);
    expect(nodes(made)).to.deep.equal([N1]);
  });

  it("loses all of it with the RoutedIP", () => {
    const made = unnamed();
    made.delete("a");
    made.settle();
    expect(made.routed.size).to.equal(0);
    expect(made.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [] });
  });

  it("follows the address again when it is named again", () => {
    const made = unnamed();
    made.serve("web", "n2");
    made.settle();
    name(made, FIREWALL);
    expect(nodes(made)).to.deep.equal([N2]);
  });

  it("is left for another one that is named later", () => {
    const made = unnamed();
    made.firewalls.set("next", { id: "next", name: "next", rules: [FOREIGN], nodes: [], pending: false });
    name(made, "next");
    expect(made.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [] });
    expect(made.firewalls.get("next")?.nodes).to.deep.equal([N1]);
  });
});
