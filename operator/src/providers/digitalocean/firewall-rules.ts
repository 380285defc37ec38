/** Firewall rules between our form and the API's. */

import type { Answer } from "../answer.js";
import type { FirewallRuleFacts } from "../types.js";

const PROTOCOLS = ["tcp", "udp", "icmp"] as const;
/** How the API writes "all ports" in answers, and the ports of icmp. */
const ALL_PORTS_ANSWERED = "0";
/** Spelled out: the API has refused either of its short forms at times. */
const ALL_PORTS = "1-65535";
const ANYWHERE = ["0.0.0.0/0", "::/0"];

/** One of `inbound_rules`. */
export function readRule(rule: Answer): FirewallRuleFacts {
  const protocol = rule.at("protocol").oneOf(PROTOCOLS);
  const sources = rule.at("sources");
  const addresses = sources.at("addresses");
  const others = ["droplet_ids", "load_balancer_uids", "kubernetes_ids", "tags"].some((key) => {
    const list = sources.at(key);
    return !list.empty && list.items().length > 0;
  });
  return {
    protocol,
    ports: protocol === "icmp" ? "" : portsOf(rule.at("ports").string()),
    sources: addresses.empty
      ? []
      : addresses
          .items()
          .map((address) => address.string())
          .sort(),
    otherSources: others,
  };
}

/** For `inbound_rules`. */
export function writeRule({ protocol, ports, sources }: FirewallRuleFacts): object {
  return { protocol, ports: writePorts(protocol, ports), sources: { addresses: [...sources] } };
}

/** `outbound_rules` that let everything out: a droplet under its first firewall loses what is not listed. */
export const EVERYTHING_OUT: readonly object[] = PROTOCOLS.map((protocol) => ({
  protocol,
  ports: writePorts(protocol, "all"),
  destinations: { addresses: ANYWHERE },
}));

function portsOf(answered: string): string {
  return answered === ALL_PORTS_ANSWERED || answered === ALL_PORTS || answered === "all" ? "all" : answered;
}

function writePorts(protocol: FirewallRuleFacts["protocol"], ports: string): string {
  if (protocol === "icmp") return ALL_PORTS_ANSWERED;
  return ports === "all" ? ALL_PORTS : ports;
}
