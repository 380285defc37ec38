/** What people do at the clouds behind the operator's back. */

import { type Clouds, DOMAIN, ZONE } from "../clouds.js";
import type { HandAct } from "../schedule/steps.js";
import { destroy, type Nodes } from "./nodes.js";
import { type Recorder, recordSets } from "./recorder.js";

const BUSY_MS = 3_000;
const FOREIGN_VALUE = "203.0.113.250";

export interface HandOptions {
  readonly clouds: Clouds;
  readonly nodes: Nodes;
  readonly recorder: Recorder;
}

/** @param pick in [0, 1): which of the things that are there, in their order. */
export function byHand(options: HandOptions, act: HandAct, { pick, other }: { pick: number; other: number }): void {
  options.recorder.byHand(() => ACTS[act](options, pick, other));
}

type Act = (options: HandOptions, pick: number, other: number) => void;

const ACTS: Readonly<Record<HandAct, Act>> = {
  move: ({ clouds, nodes }, pick, other) => {
    const address = chosen(addresses(clouds), pick);
    const held = new Set(
      addresses(clouds)
        .filter(({ family }) => family === address?.family)
        .map(({ dropletId }) => dropletId),
    );
    const target = chosen(
      present(clouds, nodes).filter((droplet) => !held.has(droplet)),
      other,
    );
    if (address !== undefined && target !== undefined) clouds.digitalocean.state.setHolder(address.ip, target);
  },
  unassign: ({ clouds }, pick) => {
    const assigned = addresses(clouds).filter(({ dropletId }) => dropletId !== null);
    const address = chosen(assigned, pick);
    if (address !== undefined) clouds.digitalocean.state.setHolder(address.ip, null);
  },
  removeAddress: ({ clouds }, pick) => {
    const address = chosen(addresses(clouds), pick);
    if (address !== undefined) clouds.digitalocean.state.removeAddress(address.ip);
  },
  addAddress: ({ clouds }, pick) => {
    clouds.digitalocean.state.addAddress({ family: pick < 0.7 ? "ipv4" : "ipv6" });
  },
  destroyDroplet: ({ clouds, nodes }, pick) => {
    const droplet = chosen(present(clouds, nodes), pick);
    if (droplet !== undefined) destroy(clouds, droplet);
  },
  busyDroplet: ({ clouds, nodes }, pick) => {
    const droplet = chosen(present(clouds, nodes), pick);
    if (droplet !== undefined) clouds.digitalocean.state.startEvent(droplet, "power_cycle", BUSY_MS);
  },
  addRecord: ({ clouds }, pick) => {
    const sets = [...recordSets(clouds)].filter(
      ([key, values]) => key.includes(" A ") && !values.includes(FOREIGN_VALUE),
    );
    const place = chosen(sets.map(([key]) => key).sort(), pick);
    const [cloud, type, name = ""] = place?.split(" ") ?? [];
    if (type === undefined) return;
    const record = { type: "A" as const, ttl: 60 };
    if (cloud === "cloudflare") clouds.cloudflare.addRecord(ZONE, { ...record, name, content: FOREIGN_VALUE });
    else clouds.digitalocean.state.dns.addRecord(DOMAIN, { ...record, name: relative(name), data: FOREIGN_VALUE });
  },
  removeRecord: ({ clouds }, pick) => {
    const { dns } = clouds.digitalocean.state;
    const record = chosen(
      dns.records(DOMAIN).filter(({ type }) => type === "A"),
      pick,
    );
    if (record !== undefined) dns.removeRecord(DOMAIN, record.id);
  },
};

function addresses({ digitalocean }: Clouds) {
  return digitalocean.state.addresses();
}

/** Machines of nodes that are in the account. */
function present({ digitalocean }: Clouds, nodes: Nodes): readonly number[] {
  return nodes.droplets.filter((droplet) => exists(() => digitalocean.state.droplet(droplet)));
}

export function exists(evaluate: () => unknown): boolean {
  try {
    evaluate();
    return true;
  } catch {
    return false;
  }
}

function chosen<T>(values: readonly T[], pick: number): T | undefined {
  return values[Math.floor(pick * values.length)];
}

function relative(fqdn: string): string {
  return fqdn.slice(0, -DOMAIN.length - 1);
}
