import type { PendingCreation } from "cdk8s-flipop/api";
import type { CreationRecovery } from "../../../src/addresses/creation/creation-recovery.js";

export const NEW = "198.51.100.1";
const OTHER = "198.51.100.2";
export const OLD = "198.51.100.9";

/** An open creation, what the account shows, and how the creation ends. */
export interface OpenCreation {
  readonly name: string;
  readonly intent?: Partial<PendingCreation>;
  /** Seconds after the intent, and what was unassigned then. */
  readonly lists: readonly (readonly [number, readonly string[]])[];
  readonly held?: readonly [string, string];
  readonly spec?: readonly string[];
  /** Where each address is, and in which project. */
  readonly shown?: Readonly<Record<string, { readonly region?: string; readonly project?: string }>>;
  /** Other creations of the account; `startedAt` in seconds after this one. */
  readonly others?: readonly { readonly startedAt?: number; readonly running?: boolean; readonly region?: string }[];
  /** Of the newcomers, whether they have been on a machine. */
  readonly wasAssigned?: Readonly<Record<string, boolean>>;
  /** Of the pool, now. */
  readonly provider?: string;
  /** In the status since before. */
  readonly known?: string;
  readonly is: CreationRecovery["is"];
  readonly ip?: string;
  /** Of `several`. */
  readonly ips?: readonly string[];
}

const ONCE = [
  [1, [NEW]],
  [11, [NEW]],
] as const;
const TWICE = [
  [1, [NEW, OTHER]],
  [11, [NEW, OTHER]],
] as const;
export const ON_NODE = { providerID: "digitalocean://n1", dropletHadAddress: false };

export const OPEN_CREATIONS: readonly OpenCreation[] = [
  { name: "waits for the first list", lists: [], is: "wait" },
  { name: "does not believe one list", lists: [[1, [NEW]]], is: "wait" },
  {
    name: "does not believe two lists at once",
    lists: [
      [1, [NEW]],
      [10, [NEW]],
    ],
    is: "wait",
  },
  {
    name: "takes the newcomer of two lists 10 s apart",
    lists: [
      [1, [OLD, NEW]],
      [11, [OLD, NEW]],
    ],
    is: "ours",
    ip: NEW,
  },
  {
    name: "leaves a newcomer that somebody has assigned meanwhile",
    lists: [
      [1, [NEW]],
      [11, []],
    ],
    is: "wait",
  },
  {
    name: "does not choose among several",
    lists: [
      [1, [NEW, OTHER]],
      [11, [NEW, OTHER]],
    ],
    is: "several",
  },
  {
    name: "takes the address that spec.ips names",
    lists: [
      [1, [NEW, OTHER]],
      [11, [NEW, OTHER]],
    ],
    spec: [OTHER],
    is: "listed",
    ip: OTHER,
  },
  {
    name: "does not take an address of spec.ips that has a node",
    lists: [
      [1, [NEW]],
      [11, [NEW]],
    ],
    held: [OTHER, "n1"],
    spec: [OTHER],
    is: "ours",
    ip: NEW,
  },
  {
    name: "counts from the youngest of several newcomers",
    lists: [
      [1, [NEW]],
      [11, [NEW, OTHER]],
    ],
    is: "wait",
  },
  {
    name: "does not give up while the call may be on its way",
    lists: [
      [1, [OLD]],
      [40, [OLD]],
    ],
    is: "wait",
  },
  {
    name: "gives up after two lists without a newcomer",
    lists: [
      [60, [OLD]],
      [70, [OLD]],
    ],
    is: "nothing",
  },
  {
    name: "does not take an address of its own that has lost its node",
    lists: [
      [60, [OTHER]],
      [70, [OTHER]],
    ],
    spec: [OTHER],
    known: OTHER,
    is: "nothing",
  },
  {
    name: "finds it on the node that it was created for",
    intent: ON_NODE,
    lists: [],
    held: [NEW, "n1"],
    is: "ours",
    ip: NEW,
  },
  {
    name: "leaves it to a person where the only newcomer was on no machine: the call may have ended before the assignment",
    intent: ON_NODE,
    lists: [
      [60, [NEW]],
      [70, [NEW]],
    ],
    wasAssigned: { [NEW]: false },
    is: "several",
  },
  {
    name: "excludes none that was on no machine while it is unknown whether the other one was",
    intent: ON_NODE,
    lists: TWICE,
    wasAssigned: { [NEW]: false },
    is: "several",
    ips: [NEW, OTHER],
  },
  {
    name: "creates again once the newcomer that was on no machine is on one",
    intent: ON_NODE,
    lists: [
      [1, [NEW]],
      [60, [NEW]],
      [80, []],
      [90, []],
    ],
    wasAssigned: { [NEW]: false },
    is: "nothing",
  },
  {
    name: "takes the one that was on a machine before, as the one that it was created for",
    intent: ON_NODE,
    lists: TWICE,
    wasAssigned: { [NEW]: true, [OTHER]: false },
    is: "ours",
    ip: NEW,
  },
  {
    name: "leaves it to a person where it is not known whether the address was on a machine",
    intent: ON_NODE,
    lists: ONCE,
    is: "several",
  },
  {
    name: "takes no address of another region",
    intent: { region: "nyc3" },
    lists: TWICE,
    shown: { [NEW]: { region: "nyc3" }, [OTHER]: { region: "ams3" } },
    is: "ours",
    ip: NEW,
  },
  {
    name: "prefers the project of the pool's other addresses",
    intent: { project: "p" },
    lists: TWICE,
    shown: { [NEW]: { project: "p" }, [OTHER]: { project: "q" } },
    is: "ours",
    ip: NEW,
  },
  {
    name: "leaves it to a person where none is in that project: an address may have been moved",
    intent: { project: "p" },
    lists: TWICE,
    shown: { [NEW]: { project: "q" }, [OTHER]: { project: "q" } },
    is: "several",
  },
  {
    name: "takes none that a list long after the call lacks",
    lists: [
      [1, [OLD]],
      [71, [OLD]],
      [82, [OLD, NEW]],
      [95, [OLD, NEW]],
    ],
    is: "nothing",
  },
  {
    name: "leaves it to a person where no list was read soon",
    lists: [
      [601, [NEW]],
      [620, [NEW]],
    ],
    is: "several",
  },
  {
    name: "leaves it to a person where another answer was lost at the same time",
    lists: ONCE,
    others: [{ startedAt: 20 }],
    is: "several",
  },
  {
    name: "is not confused by one whose answer was lost in another region",
    intent: { region: "nyc3" },
    lists: ONCE,
    others: [{ startedAt: 20, region: "elsewhere" }],
    is: "ours",
    ip: NEW,
  },
  {
    name: "waits for one that runs, whose answer will name the address",
    lists: ONCE,
    others: [{ running: true }],
    is: "wait",
  },
  { name: "is not confused by one of an hour later", lists: ONCE, others: [{ startedAt: 3600 }], is: "ours", ip: NEW },
  { name: "is looked for in no other account", lists: ONCE, provider: "other", is: "elsewhere" },
  { name: "knows an address that was there before", intent: ON_NODE, lists: [], held: [OLD, "n1"], is: "wait" },
  {
    name: "trusts no node that had an address before",
    intent: { ...ON_NODE, dropletHadAddress: true },
    lists: [],
    held: [NEW, "n1"],
    is: "wait",
  },
  {
    name: "trusts no node whose former address is unknown",
    intent: { providerID: "digitalocean://n1" },
    lists: [],
    held: [NEW, "n1"],
    is: "wait",
  },
];
