/** One account with thousands of addresses, and the largest pool that there may be in it: what a plan of it reads. */

import { Annotation, type FloatingIPPoolSpec, type FloatingIPPoolStatus, MAX_POOL_IPS } from "cdk8s-flipop/api";
import { Claims } from "../../../src/claims/claims.js";
import { poolClaims } from "../../../src/claims/read-claims.js";
import { addressSetOf, type Pool, type Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import type { CachedState } from "../../../src/inventory/cached-address.js";
import { createView } from "../../../src/inventory/view.js";
import { refusalsOf, type Verdict } from "../../../src/match/checks.js";
import { compileMatch } from "../../../src/match/compile-match.js";
import { type NodeFacts, nodeFacts } from "../../../src/match/node-facts.js";
import { NO_NODES_KNOWN } from "../../../src/messages/nodes/refused-nodes.js";
import { NO_MEMORY } from "../../controllers/floating-ip-pool/support/no-memory.js";
import { readyCondition, slimNode } from "../../match/cluster.js";

/** Where the addresses of the pool are. */
export const LARGE_SCENES = ["at rest", "all to be assigned", "all elsewhere", "all holders failed"] as const;
export type LargeScene = (typeof LARGE_SCENES)[number];

const HOME = "nyc3";
const ABROAD = "ams3";
const POOL = "large";
const LONG_AGO = "2024-12-01T00:00:00Z";
const OWNER = `default/${POOL}/${POOL}`;
const NOW = Date.UTC(2025, 0, 1);

/** A view as the inventory makes it, and the rest of a snapshot, with as many nodes as there are addresses. */
export class LargeAccount {
  private readonly cachedStates = new Map<string, CachedState>();
  /** As the index of matches keeps them from change to change. */
  private readonly verdicts = new Map<string, Verdict>();
  private readonly candidates: readonly NodeFacts[];
  private readonly annotated: readonly NodeFacts[];
  private readonly pool: Pool;
  private readonly claims = new Claims();

  /** @param watch sees each node that a plan gets, to count what it reads of it */
  constructor(
    addresses: number,
    private readonly scene: LargeScene,
    private readonly watch: (node: NodeFacts) => NodeFacts = (node) => node,
  ) {
    for (let index = 0; index < addresses; index++) this.add(index);
    const verdicts = [...this.verdicts.values()];
    this.candidates = verdicts.filter(({ refusals }) => refusals.length === 0).map(({ node }) => node);
    const bearers = verdicts
      .map(({ node }) => node)
      .filter(({ annotations }) => Annotation.reservedIpv4 in annotations);
    this.annotated = bearers.slice(0, MAX_POOL_IPS);
    const ips = [...this.cachedStates.keys()].slice(0, MAX_POOL_IPS);
    this.pool = poolOf(ips, isHeld(scene) ? activeStatus(ips) : {});
    this.claims.put(poolClaims(this.pool));
  }

  /** What one run of the pool's controller gathers. */
  snapshot(): Snapshot {
    const verdictOf = (machine: string) => this.verdicts.get(machine);
    return {
      pool: this.pool,
      set: addressSetOf(this.pool),
      now: NOW,
      cachesComplete: true,
      candidates: this.candidates,
      verdictOf,
      refusals: NO_NODES_KNOWN,
      inventory: createView({
        now: 0,
        listedAt: 0,
        cachedStates: this.cachedStates,
        gone: new Map(),
        reservations: new Map(),
      }),
      capabilities: CAPABILITIES,
      claims: this.claims.view(this.pool.metadata.uid ?? ""),
      ownerOf: (ip) => this.claims.holderOf(ip),
      share: ({ wants }, machines) => machines.slice(0, wants),
      otherCreations: [],
      annotated: this.annotated,
      crdTooOld: false,
      memory: NO_MEMORY,
    };
  }

  private add(index: number): void {
    const ip = `198.18.${index >> 8}.${index & 255}`;
    const held = isHeld(this.scene);
    const node = this.addNode(`node-${index}`, this.scene === "all holders failed" && index < MAX_POOL_IPS, ip);
    const facts = { ip, family: "IPv4", region: HOME, ...(held ? { holder: node.machine ?? "" } : {}) } as const;
    this.cachedStates.set(ip, { facts, at: 0 });
    // Somebody has to wait for what the failed holders lose.
    if (this.scene === "all holders failed") this.addNode(`spare-${index}`, false);
  }

  private addNode(name: string, failed: boolean, ip?: string): NodeFacts {
    const region = this.scene === "all elsewhere" ? ABROAD : HOME;
    const bears = ip !== undefined && isHeld(this.scene);
    const node = nodeFacts(
      slimNode(name, {
        labels: { "topology.kubernetes.io/region": region },
        annotations: bears ? { [Annotation.reservedIpv4]: ip, [Annotation.reservedIpv4Owner]: OWNER } : {},
        conditions: [readyCondition(failed ? "False" : "True")],
      }),
    );
    const watched = this.watch(node);
    this.verdicts.set(node.machine ?? "", { node: watched, refusals: refusalsOf({ node, match: MATCH }) });
    return node;
  }
}

/** From the start. */
function isHeld(scene: LargeScene): boolean {
  return scene === "at rest" || scene === "all holders failed";
}

const CAPABILITIES = {
  providerIdScheme: "digitalocean",
  families: ["IPv4"],
  addressesPerNode: 1,
  regional: true,
  movesHeld: true,
  createsOnNode: ["IPv4"],
} as const;

const MATCH = matchAll();

function matchAll() {
  const result = compileMatch({}, CAPABILITIES);
  if (!result.ok) throw new Error("an empty match can always be used");
  return result.match;
}

function activeStatus(ips: readonly string[]): FloatingIPPoolStatus {
  const entries = ips.map((ip, index) => {
    const place = { nodeName: `node-${index}`, providerID: `digitalocean://node-${index}` };
    return [ip, { state: "active", since: LONG_AGO, ...place }] as const;
  });
  return { ips: Object.fromEntries(entries) };
}

function poolOf(ips: readonly string[], status: FloatingIPPoolStatus): Pool {
  const spec: FloatingIPPoolSpec = { provider: "digitalocean", region: HOME, ips: [...ips] };
  const metadata = { name: POOL, namespace: "default", uid: POOL, resourceVersion: "1", creationTimestamp: LONG_AGO };
  return { metadata, spec, status };
}
