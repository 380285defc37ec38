/** The options of a simulation: a misspelt one would test nothing. */

import { nearest } from "cdk8s-flipop/api";
import type { SimulatedNodes, SimulateOptions } from "./options.js";

const OPTIONS: Readonly<Record<keyof SimulateOptions, true>> = {
  fail: true,
  movesWithin: true,
  cloudTakes: true,
  nodes: true,
};
const NODE_FIELDS: Readonly<Record<keyof SimulatedNodes, true>> = {
  name: true,
  count: true,
  labels: true,
  region: true,
};

/** Throws if there is an option of another name. */
export function checkOptions(options: SimulateOptions): void {
  refuseOthers(options, { names: Object.keys(OPTIONS), at: "", what: "an option of simulate" });
  for (const [index, nodes] of (options.nodes ?? []).entries()) {
    refuseOthers(nodes, { names: Object.keys(NODE_FIELDS), at: `nodes[${index}].`, what: "a field of nodes" });
  }
}

interface Known {
  readonly names: readonly string[];
  readonly at: string;
  readonly what: string;
}

function refuseOthers(given: object, { names, at, what }: Known): void {
  for (const name of Object.keys(given).filter((key) => !names.includes(key))) {
    const similar = nearest(name, names);
    const fix = similar === undefined ? `use one of ${names.join(", ")}` : `did you mean ${similar}?`;
    throw new Error(`${at}${name} is not ${what}: ${fix}`);
  }
}
