/** The account's firewalls, as they really are, and what people do to them in the control panel. */

import type { DigitalOceanSimulator } from "../digitalocean/simulator.js";
import type { FirewallState } from "./rules/facts.js";
import type { CloudStep } from "./scenario/scenario.js";

type Edit = Extract<CloudStep, { readonly do: "edit-firewall" }>;
type Cloud = Pick<DigitalOceanSimulator, "state">;
type Firewall = NonNullable<ReturnType<Cloud["state"]["firewalls"]["byName"]>>;
type Rule = Firewall["config"]["inbound"][number];

/** What the cluster itself has around its nodes; names that begin so are the platform's. */
const PLATFORM = "k8s-";
/** Tag of all nodes' droplets. */
export const NODE_TAG = "k8s";
const EVERYBODY = { addresses: ["0.0.0.0/0", "::/0"] };
const ALL_OUT = ["tcp", "udp"] as const;

/** The firewall that managed clusters have: NodePorts from everywhere. Behind it, no node is without any. */
export function addClusterFirewall({ state }: Cloud): void {
  state.firewalls.add({
    name: `${PLATFORM}public-access`,
    tags: [NODE_TAG],
    inbound: [{ protocol: "tcp", ports: "30000-32767", target: EVERYBODY }],
    outbound: ALL_OUT.map((protocol) => ({ protocol, ports: "0", target: EVERYBODY })),
  });
}

/** All but the platform's, by name. @param nameOf of a droplet */
export function firewallStates({ state }: Cloud, nameOf: (droplet: number) => string): Map<string, FirewallState> {
  const all = state.firewalls.all().filter(({ config }) => !config.name.startsWith(PLATFORM));
  const states = all.map(({ id, config: { name, inbound } }): FirewallState => {
    const nodes = state.firewalls.covered(id).map(nameOf).sort();
    return { name, rules: inbound.map(ruleText).sort(), nodes };
  });
  return new Map(states.map((each) => [each.name, each]));
}

/** Returns what was done, for people. Throws where there is no such firewall or rule. */
export function editFirewall({ state }: Cloud, { name, add, remove }: Edit): string {
  const firewall = state.firewalls.byName(name);
  if (firewall === undefined) throw new Error(`there is no firewall "${name}": put "settle" before this step`);
  const { id, config } = firewall;
  const missing = remove.find((text) => !config.inbound.some((rule) => ruleText(rule) === text));
  if (missing !== undefined) throw new Error(`firewall "${name}" has no rule "${missing}"`);
  const kept = config.inbound.filter((rule) => !remove.includes(ruleText(rule)));
  state.firewalls.change(id, { inbound: [...kept, ...add.map(ruleOf)] });
  const parts = [
    ...(add.length > 0 ? [`adds ${add.join(", ")}`] : []),
    ...(remove.length > 0 ? [`removes ${remove.join(", ")}`] : []),
  ];
  return `somebody edits firewall ${name} in the control panel: ${parts.join(", ") || "nothing"}`;
}

function ruleText({ protocol, ports }: Rule): string {
  return `${protocol} ${ports}`;
}

function ruleOf(text: string): Rule {
  const [protocol, ports = ""] = text.split(" ");
  return { protocol: protocol === "udp" ? "udp" : "tcp", ports, target: EVERYBODY };
}
