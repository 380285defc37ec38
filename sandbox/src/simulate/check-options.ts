/** The input of a simulation: with a misspelt option, it would test nothing. */

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

const GIVE_APP = "give a cdk8s App or Chart, or a list of the objects of manifests";
const GIVE_NODES = 'give a list such as [{ name: "edge", count: 3 }]';

/** Throws if the app is none, or if there is an option of another name or type, or one without an effect. */
export function checkInput(app: unknown, options: SimulateOptions): void {
  if (!isApp(app)) throw new Error(`${shown(app)} is not an app: ${GIVE_APP}`);
  if (!isObject(options))
    throw new Error(`${shown(options)} are not options: give an object such as { fail: "node-1" }`);
  refuseOthers(options, { names: Object.keys(OPTIONS), at: "", what: "an option of simulate" });
  for (const name of ["movesWithin", "cloudTakes"] as const) checkTime(name, options[name]);
  checkNodes(options.nodes);
  const { fail, movesWithin } = options;
  if (fail !== undefined && typeof fail !== "string") throw new Error(`fail: ${shown(fail)} is not the name of a node`);
  if (movesWithin !== undefined && fail === undefined) {
    throw new Error('movesWithin has no effect without fail: name a node, such as fail: "node-1"');
  }
}

function isApp(app: unknown): boolean {
  if (Array.isArray(app)) return app.every(isObject);
  return isObject(app) && isObject(app["node"]) && typeof app["node"]["findAll"] === "function";
}

function checkTime(name: string, time: unknown): void {
  if (time === undefined || (isObject(time) && typeof time["toSeconds"] === "function")) return;
  throw new Error(`${name}: ${shown(time)} is not a Duration: write Duration.seconds(${Number(time) || 3})`);
}

function checkNodes(nodes: unknown): void {
  if (nodes === undefined) return;
  if (!Array.isArray(nodes)) throw new Error(`nodes: ${shown(nodes)} is not a list: ${GIVE_NODES}`);
  for (const [index, group] of nodes.entries()) {
    if (!isObject(group)) throw new Error(`nodes[${index}]: ${shown(group)} is not an object: ${GIVE_NODES}`);
    refuseOthers(group, { names: Object.keys(NODE_FIELDS), at: `nodes[${index}].`, what: "a field of nodes" });
    const { name, count } = group;
    if (typeof name !== "string" || !Number.isInteger(count) || Number(count) < 1) {
      throw new Error(`nodes[${index}] needs a name and a count from 1: ${GIVE_NODES}`);
    }
  }
}

/** A construct refers to itself, so JSON cannot show it. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "an object";
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
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
