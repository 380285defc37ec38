import { expect } from "chai";
import type { FirewallRuleFacts } from "../../../src/providers/firewall-types.js";
import type { ProviderId } from "../../../src/providers/types.js";
import { ASKER, type FirewallBench } from "./benches.js";
import { planFirewallChange } from "./desired-firewall.js";
import type { FaultCase } from "./fault-contract.js";

const THEIRS = rule("25");
const OLD = rule("80");
const NEW = rule("443");

export const firewallFaultCases: readonly FaultCase<FirewallBench>[] = [createCase(), changeCase(), removeCase()];

/** Finds or creates, as the operator does. */
function createCase(): FaultCase<FirewallBench> {
  return {
    name: "find or create a firewall",
    prepare: (bench) => {
      const node = bench.addNode();
      const findOrCreate = async () => {
        const { firewall } = await bench.provider.survey(ASKER, "ours", [node]);
        return firewall ?? bench.provider.create(ASKER, { name: "ours", rules: [NEW], nodes: [node] });
      };
      return {
        run: findOrCreate,
        check: () => undefined,
        converge: async () => {
          await bench.drive(findOrCreate());
          expect(bench.firewall("ours")).to.deep.equal({ rules: ["tcp 443"], nodes: [node] });
        },
      };
    },
  };
}

function changeCase(): FaultCase<FirewallBench> {
  return {
    name: "change a firewall",
    prepare: (bench) => {
      const [theirs, old, young] = [bench.addNode(), bench.addNode(), bench.addNode()];
      bench.addFirewall("ours", [theirs, old], [THEIRS, OLD]);
      const apply = () => reconcile(bench, { young, old });
      const untouched = () => {
        expect(bench.firewall("ours")?.rules).to.include("tcp 25");
        expect(bench.firewall("ours")?.nodes).to.include(theirs);
      };
      return {
        run: apply,
        check: untouched,
        converge: async () => {
          await bench.drive(apply());
          untouched();
          const { rules, nodes } = bench.firewall("ours") ?? {};
          expect(rules).to.deep.equal(["tcp 25", "tcp 443"]);
          expect(nodes).to.deep.equal([theirs, young].sort());
        },
      };
    },
  };
}

function removeCase(): FaultCase<FirewallBench> {
  return {
    name: "remove a firewall",
    prepare: async (bench) => {
      bench.addFirewall("ours", [], []);
      const { firewall } = await bench.drive(bench.provider.survey(ASKER, "ours", []));
      const remove = () => (firewall === undefined ? Promise.resolve() : bench.provider.remove(ASKER, firewall));
      return {
        run: remove,
        check: ({ error }) => {
          if (error === undefined) expect(bench.firewall("ours")).to.equal(undefined);
        },
        converge: async () => {
          await bench.drive(remove());
          expect(bench.firewall("ours")).to.equal(undefined);
        },
      };
    },
  };
}

async function reconcile(bench: FirewallBench, { young, old }: Record<"young" | "old", ProviderId>): Promise<void> {
  const { firewall } = await bench.provider.survey(ASKER, "ours", []);
  if (firewall === undefined) throw new Error("the firewall is not there");
  const request = { rules: [NEW], ourRules: [OLD], nodes: [young], ourNodes: [old] };
  await bench.provider.apply(ASKER, planFirewallChange(firewall, request));
}

function rule(ports: string): FirewallRuleFacts {
  return { protocol: "tcp", ports, sources: ["0.0.0.0/0", "::/0"], otherSources: false };
}
