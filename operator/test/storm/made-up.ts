/** Histories for the tests of the oracle: a small world in which all is well, to be changed by each test. */

import type { Call, Fact, History, HolderFact, NodeState, ObjectFact, ResourceState } from "./history.js";

export const IP = "198.19.0.1";
export const OTHER_IP = "198.19.0.2";
/** When the story of a test begins; the world has been as it is for a minute. */
export const NOW = 100_000;
const LONG_AGO = 20_000;

export const NODE: NodeState = {
  ...{ droplet: 1, ready: true, cordoned: false, taint: "none", group: "a", pod: "ready" },
  ...{ externalIp: "198.18.0.1", service: "answers", kubelet: true },
};

export const POOL: ResourceState = {
  ...{ kind: "pool", groups: ["a"], needsPod: false, family: "ipv4", desired: 1, listed: [IP] },
  ...{ coolOffSeconds: 0, graceSeconds: 0, release: false, paused: false, ignoresMassFailure: false, endpoints: {} },
};

/** Two nodes; pool `web`, whose listed address is on the first one; a replica with the Lease. */
export function history(change: Partial<History> = {}): History {
  return {
    ...{
      seed: 1,
      round: 1,
      startedAt: 0,
      until: NOW + 60_000,
      calls: [],
      blind: [],
      cutOff: [],
      replicaNodes: [],
      unsure: [],
      steps: [],
      records: [],
    },
    leases: renewals("me", LONG_AGO, NOW + 60_000),
    processes: [{ name: "replica-1", identity: "me", startedAt: LONG_AGO, signals: [] }],
    nodes: [fact("node-1", LONG_AGO, NODE), fact("node-2", LONG_AGO, { ...NODE, droplet: 2 })],
    resources: [fact("web", LONG_AGO, POOL)],
    objects: [object()],
    holders: [held(LONG_AGO, IP, null, "hand"), held(LONG_AGO + 1, IP, 1)],
    ...change,
  };
}

export function fact<T>(name: string, at: number, value?: T): Fact<T> {
  return { name, from: at, by: at + 10, ...(value !== undefined && { value }) };
}

export function object(change: Partial<ObjectFact> = {}): ObjectFact {
  const addresses = { known: [IP], created: [], pending: false };
  return { at: LONG_AGO, name: "web", kind: "pool", uid: "uid-web", deleted: false, ...addresses, ...change };
}

export function held(
  at: number,
  ip: string,
  holder: number | null | undefined,
  by: HolderFact["by"] = "api",
): HolderFact {
  return { at, ip, family: "ipv4", by, ...(holder !== undefined && { holder }) };
}

export function renewals(holder: string, from: number, to: number) {
  const count = Math.floor((to - from) / 300);
  return Array.from({ length: count }, (_, index) => ({
    at: from + index * 300,
    renewedAt: from + index * 300 - 5,
    holder,
  }));
}

export function call(at: number, change: Partial<Call> = {}): Call {
  const read = {
    method: "GET",
    path: `/v2/reserved_ips/${IP}`,
    route: "GET /v2/reserved_ips/{reserved_ip}",
    query: "",
  };
  return { cloud: "digitalocean", at, ...read, caller: "replica-1", processed: 1, status: 200, ...change };
}

export function assign(at: number, droplet: number, ip = IP): Call {
  return call(at, {
    ...{ method: "POST", path: `/v2/reserved_ips/${ip}/actions`, status: 201 },
    ...{ route: "POST /v2/reserved_ips/{reserved_ip}/actions", body: { type: "assign", droplet_id: droplet } },
  });
}

export function release(at: number, ip = IP): Call {
  const route = "DELETE /v2/reserved_ips/{reserved_ip}";
  return call(at, { method: "DELETE", path: `/v2/reserved_ips/${ip}`, route, status: 204 });
}
