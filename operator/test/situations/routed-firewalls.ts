/** The ports of a RoutedIP are closed. */

import type { Snapshot } from "../../src/controllers/routed-ip/snapshot.js";
import { permittedPorts, portAccessOf } from "../../src/routing/port-access.js";
import type { ResolvedIssuerClass } from "../../src/routing/resolved-class.js";
import type { ModelWorld } from "../controllers/routed-ip/model-world.js";
import { routed, routedSeen } from "./routed-scenes.js";
import type { Group } from "./situation.js";

/** The firewall is in step, and its rules let only these in. */
function admitOnly(world: ModelWorld, sources: readonly string[]): void {
  world.settle();
  for (const [name, facts] of world.firewalls) {
    world.firewalls.set(name, { ...facts, rules: facts.rules.map((rule) => ({ ...rule, sources })) });
  }
}

const NODE_PORT = { protocol: "UDP", port: 30_560, origin: "NodePort" } as const;

export const ROUTED_FIREWALLS: Group = {
  heading: "A RoutedIP's ports are closed",
  situations: [
    routed({
      when: "The class or issuer does not allow the port",
      shows: "FirewallReady PortNotAllowed",
      names: ["22/TCP", "RoutedIPIssuer default/do"],
      seen: () => {
        const portAccess = portAccessOf([{ of: "RoutedIPIssuer default/do", limits: { allowedPorts: ["443"] } }]);
        return routedSeen(
          {
            ports: [22],
            change: ({ portsOn }) => ({
              portsOn: (nodes) => {
                const found = portsOn(nodes);
                return { ...found, ...permittedPorts(found.ports, portAccess, { nodePortRange: "30000-32767" }) };
              },
            }),
          },
          "FirewallReady",
        );
      },
      fix: "Use another port, or ask the author of the issuer",
    }),
    routed({
      when: "The issuer names no firewall",
      shows: "FirewallReady NoFirewall",
      names: ["RoutedIPIssuer default/do", "routedIPFirewallName", "a firewall of your own"],
      seen: () => {
        const withoutFirewall = ({ firewallName: _name, ...resolvedClass }: ResolvedIssuerClass) => ({ resolvedClass });
        const change = ({ resolvedClass }: Snapshot) =>
          resolvedClass === undefined ? {} : withoutFirewall(resolvedClass);
        return routedSeen({ change }, "FirewallReady");
      },
      fix: "Ask the author of the issuer to set `routedIPFirewallName`, or open the ports yourself",
    }),
    routed({
      when: "A hostPort is in the range of NodePorts",
      shows: "FirewallReady AssumedOpen",
      names: ["hostPort 30120/TCP", "nodePortRange 30000-32767", "outside of the range"],
      seen: () => routedSeen({ ports: [30_120], prepare: (world) => world.settle() }, "FirewallReady"),
      fix: "Narrow `nodePortRange` of the class, use another hostPort, or open the port yourself",
    }),
    routed({
      when: "A NodePort is for UDP, and firewalls may let in NodePorts for TCP alone",
      shows: "FirewallReady AssumedOpen",
      names: ["NodePort 30560/UDP", "nodePortRange 30000-32767", "open it in a firewall of your own"],
      seen: () => {
        const change = ({ portsOn }: Snapshot) => ({
          portsOn: (nodes: readonly string[]) => ({ ...portsOn(nodes), ports: [NODE_PORT] }),
        });
        return routedSeen({ ports: [30_560], prepare: (world) => world.settle(), change }, "FirewallReady");
      },
      fix: "Open the port in a firewall of the account, or narrow `nodePortRange` of the class",
    }),
    routed({
      when: "The Service has `loadBalancerSourceRanges`",
      shows: "FirewallReady RestrictedSources",
      names: ["198.51.100.0/24", "only (loadBalancerSourceRanges of Service default/web)"],
      seen: () => {
        const sourceRanges = ["198.51.100.0/24"];
        const change = ({ portsOn }: Snapshot) => ({
          portsOn: (nodes: readonly string[]) => ({ ...portsOn(nodes), sourceRanges }),
        });
        return routedSeen({ prepare: (world) => admitOnly(world, sourceRanges), change }, "FirewallReady");
      },
      fix: "Remove `loadBalancerSourceRanges` of the Service, or add the clients that are to get through",
    }),
    routed({
      when: "The pods open a port, such as 443/UDP for HTTP/3, that the Service does not list",
      shows: "FirewallReady UnlistedPorts",
      names: ["443/UDP by hostPort", "Service default/web add it to its ports"],
      seen: () => {
        const unlisted = [{ protocol: "UDP" as const, port: 443 }];
        const change = ({ portsOn }: Snapshot) => ({
          portsOn: (nodes: readonly string[]) => ({ ...portsOn(nodes), unlisted }),
        });
        return routedSeen({ prepare: (world) => world.settle(), change }, "FirewallReady");
      },
      fix: "Add the port to the Service, if clients are to reach it",
    }),
    routed({
      when: "An annotation of the Service limits the clients of a load balancer",
      shows: "FirewallReady UnrestrictedSources",
      names: [
        "do-loadbalancer-allow-rules of Service default/web",
        "set loadBalancerSourceRanges of Service default/web",
      ],
      seen: () => {
        const sourceAnnotations = ["service.beta.kubernetes.io/do-loadbalancer-allow-rules"];
        const change = ({ portsOn }: Snapshot) => ({
          portsOn: (nodes: readonly string[]) => ({ ...portsOn(nodes), sourceAnnotations }),
        });
        return routedSeen({ prepare: (world) => world.settle(), change }, "FirewallReady");
      },
      fix: "Set `loadBalancerSourceRanges` of the Service, or remove the annotation",
    }),
    routed({
      when: "Somebody has renamed the firewall at the provider",
      shows: "FirewallReady FirewallRenamed",
      names: ['former firewall "ingress"', '"web" now', "routedIPFirewallName"],
      seen: () => {
        const change = ({ firewall }: Snapshot) =>
          firewall === undefined ? {} : { firewall: { ...firewall, renamed: "web" } };
        return routedSeen({ prepare: (world) => world.settle(), change }, "FirewallReady");
      },
      fix: "Let the issuer name the renamed firewall, or delete it",
    }),
    routed({
      when: "The firewall has no room for another node",
      shows: "FirewallReady FirewallFull",
      names: ["ingress", "10", "second issuer"],
      seen: () =>
        routedSeen(
          {
            prepare: (world) =>
              world.addFirewall(
                undefined,
                Array.from({ length: 10 }, (_, at) => `digitalocean://other-${at}`),
              ),
          },
          "FirewallReady",
        ),
      fix: "Run the Services on at most 10 nodes, let the operator create firewalls, or use a second issuer",
    }),
    routed({
      when: "The firewall has no room for another rule",
      shows: "FirewallReady FirewallFull",
      names: ["443/TCP", "ingress", "50", "the 50 rules for 8443/TCP"],
      seen: () => {
        const partner = (at: number) => ({ protocol: "tcp" as const, ports: "8443", sources: [`192.0.2.${at}/32`] });
        const rules = Array.from({ length: 50 }, (_, at) => ({ ...partner(at), otherSources: false }));
        return routedSeen({ prepare: (world) => world.addFirewall(rules) }, "FirewallReady");
      },
      fix: "Let rules of others share one rule, or remove what nothing needs",
    }),
    routed({
      when: "The firewall does not exist yet, and no node may join it",
      shows: "FirewallReady FirewallNotFound",
      names: ["ingress", "the operator creates it"],
      seen: () => routedSeen({ serving: [], prepare: (world) => world.firewalls.clear() }, "FirewallReady"),
      fix: "Look at `Assigned`: [a RoutedIP has no node](#a-routedip-has-no-node). The operator creates the firewall when there is one",
    }),
    routed({
      when: "Two ports of the Service need the same port of the node",
      shows: "Accepted PortClash",
      names: ["443"],
      seen: () => {
        const ports = [
          { name: "a", protocol: "TCP", port: 80, targetPort: 8080, nodePort: 30_080 },
          { name: "b", protocol: "TCP", port: 443, targetPort: 8443, nodePort: 30_080 },
        ];
        return routedSeen({ service: { ports } }, "Accepted");
      },
      fix: "Give one of the ports another hostPort or nodePort",
    }),
    routed({
      when: "A port of the Service is neither TCP nor UDP",
      shows: "Accepted ServiceUnsuitable",
      names: ["Service default/web", "2905/SCTP", "TCP and UDP"],
      seen: () => {
        const ports = [{ name: "m3ua", protocol: "SCTP", port: 2905, targetPort: 2905 }];
        return routedSeen({ service: { ports } }, "Accepted");
      },
      fix: "Use TCP or UDP, or leave the port out",
    }),
    routed({
      when: "No node opens a port of the Service",
      shows: "Accepted ServiceUnsuitable",
      names: ["Service default/web", "http"],
      seen: () => {
        const ports = [{ name: "http", protocol: "TCP", port: 80, targetPort: "web" }];
        return routedSeen({ service: { ports } }, "Accepted");
      },
      fix: "Use type NodePort, or give the pods a hostPort",
    }),
  ],
};
