import { expect } from "chai";
import { describe, it } from "mocha";
import type { Plan } from "../../../src/controllers/routed-ip/plan.js";
import { FIREWALL } from "./model-cluster.js";
import { ModelWorld } from "./model-world.js";

const IP = "203.0.113.7";

function conditionOf({ conditions }: Plan, type: string) {
  const { status, reason, message = "" } = conditions.find((each) => each.type === type) ?? {};
  return { is: `${status}/${reason}`, message };
}

describe("the firewall in the plan of a RoutedIP", () => {
  describe("of a Service whose ports all lie in the NodePort range", () => {
    function nodePorts(): ModelWorld {
      const made = new ModelWorld();
      made.addNode("n1");
      made.addService("web", [30_080, 30_443]);
      made.serve("web", "n1");
      made.addRouted("a", { routedIP: IP });
      return made;
    }

    it("needs no firewall: none is created, and FirewallReady is True", () => {
      const made = nodePorts();
      made.settle();
      expect(made.firewalls.size).to.equal(0);
      expect(made.holderOf("a")).to.equal("n1");
      const { is, message } = conditionOf(made.plan("a"), "FirewallReady");
      expect(is, message).to.equal("True/Observed");
      expect(message).to.contain("30000-32767");
      expect(conditionOf(made.plan("a"), "Accepted").is).to.equal("True/Observed");
    });

    it("puts no node in danger: one that the firewall would isolate gets the address all the same", () => {
      const made = nodePorts();
      made.addFirewall([]);
      made.covered.clear();
      made.settle();
      expect(made.firewalls.get(FIREWALL)?.nodes).to.deep.equal([]);
      expect(made.holderOf("a")).to.equal("n1");
      expect(conditionOf(made.plan("a"), "FirewallReady").is).to.equal("True/Observed");
    });
  });

  it("says in Assigned that no address is created because the firewall would isolate the node", () => {
    const made = new ModelWorld();
    made.addNode("n1");
    made.covered.clear();
    made.addService("web", [443]);
    made.serve("web", "n1");
    made.addRouted("a");
    made.settle();
    const { is, message } = conditionOf(made.plan("a"), "Assigned");
    expect(is, message).to.equal("False/WouldIsolateNode");
    expect(message).to.contain("node n1 is in no firewall now");
    expect(made.addresses.size).to.equal(0);
  });

  describe("that is full", () => {
    const OTHERS = Array.from({ length: 9 }, (_, index) => `digitalocean://other${index}`);
    const [N1, N2] = ["digitalocean://n1", "digitalocean://n2"];

    /** The address is on n1, and 9 machines of others are in the firewall with it. */
    function full(): ModelWorld {
      const made = new ModelWorld();
      for (const name of ["n1", "n2"]) made.addNode(name);
      made.addService("web", [443]);
      made.serve("web", "n1");
      made.addFirewall();
      made.addRouted("a", { routedIP: IP });
      made.settle();
      const { rules = [] } = made.firewalls.get(FIREWALL) ?? {};
      made.addFirewall(rules, [...OTHERS, N1]);
      return made;
    }

    it("loses the node that no longer serves before the new one joins", () => {
      const made = full();
      made.serve("web", "n2");
      const names = made.plan("a").steps.map((step) => step.name);
      expect(names).to.deep.equal(["elect", "record", "make-room", "add-node", "assign", "untaint"]);
      made.settle();
      expect(made.holderOf("a")).to.equal("n2");
      expect(made.firewalls.get(FIREWALL)?.nodes).to.deep.equal([...OTHERS, N2]);
    });

    it("keeps the usual order while it has room: the new node joins first", () => {
      const made = full();
      const { rules = [] } = made.firewalls.get(FIREWALL) ?? {};
      made.addFirewall(rules, [...OTHERS.slice(1), N1]);
      made.serve("web", "n2");
      const names = made.plan("a").steps.map((step) => step.name);
      expect(names).to.deep.equal(["elect", "record", "add-node", "assign", "remove-nodes", "untaint"]);
    });

    it("counts the rules of both directions", () => {
      const made = full();
      const facts = made.firewalls.get(FIREWALL);
      if (facts !== undefined) made.firewalls.set(FIREWALL, { ...facts, outboundRules: 48 });
      made.addService("web", [443, 80]);
      expect(conditionOf(made.plan("a"), "FirewallReady").is).to.equal("False/FirewallFull");
      expect(conditionOf(made.plan("a"), "FirewallReady").message).to.contain("51 inbound and outbound rules");
    });
  });
});
