/** Holders without an address of the type that a health check asks for: the operator cannot probe them. */

import { HEALTH_CHECK_DEFAULTS, type HealthCheck } from "cdk8s-flipop/api";
import { missingAddress } from "../messages/health.js";
import { compareText } from "../values.js";
import type { Named } from "./probed-nodes.js";
import { type PodAddresses, targetOf } from "./target.js";
import type { NodeDoubt } from "./witness.js";

export class UnprobedHolders {
  /** What each lacks, by name. */
  private nodes: ReadonlyMap<string, string> = new Map();

  /** @param onChange a node has become one of them, or is none any more */
  constructor(private readonly onChange: (node: string) => void) {}

  /** @param check absent: no node is to be probed */
  follow(check: HealthCheck | undefined, holders: readonly Named[], podAddress: PodAddresses): void {
    const before = this.nodes;
    this.nodes = check === undefined ? new Map() : unprobedOf(check, holders, podAddress);
    const names = new Set([...before.keys(), ...this.nodes.keys()]);
    for (const name of names) if (before.get(name) !== this.nodes.get(name)) this.onChange(name);
  }

  /** By name of the node. */
  doubts(): readonly NodeDoubt[] {
    const found = [...this.nodes].map(([node, detail]): NodeDoubt => ({ node, doubt: "NotProbed", detail }));
    return found.sort((a, b) => compareText(a.node, b.node));
  }

  close(): void {
    this.nodes = new Map();
  }
}

function unprobedOf(
  check: HealthCheck,
  nodes: readonly Named[],
  podAddress: PodAddresses,
): ReadonlyMap<string, string> {
  const wanted = check.address ?? HEALTH_CHECK_DEFAULTS.address;
  const detail = missingAddress(wanted);
  const unprobed = nodes.filter((node) => targetOf(check, node, podAddress) === undefined);
  return new Map(unprobed.map(({ name }) => [name, detail]));
}
