import type { PendingCreation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type CreationRecovery, settle } from "../../../src/addresses/creation/creation-recovery.js";
import type { ListObservation } from "../../../src/addresses/creation/list-observations.js";
import type { Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import type { InventoryAddress } from "../../../src/inventory/types.js";
import { timestamp } from "../../../src/times.js";
import { ModelCloud } from "../../controllers/floating-ip-pool/model-cloud.js";
import { NO_MEMORY } from "../../controllers/floating-ip-pool/no-memory.js";

const NEW = "198.51.100.1";
const OTHER = "198.51.100.2";
const OLD = "198.51.100.9";

interface Row {
  readonly name: string;
  readonly intent?: Partial<PendingCreation>;
  /** Seconds after the intent, and what was unassigned then. */
  readonly lists: readonly (readonly [number, readonly string[]])[];
  readonly held?: readonly [string, string];
  readonly spec?: readonly string[];
  /** Where each address is, and in which project. */
  readonly shown?: Readonly<Record<string, { readonly region?: string; readonly project?: string }>>;
  /** Other creations of the account; `startedAt` in seconds after this one. */
  readonly others?: readonly { readonly startedAt?: number; readonly running?: boolean }[];
  /** Of the pool, now. */
  readonly provider?: string;
  /** In the status since before. */
  readonly known?: string;
  readonly is: CreationRecovery["is"];
  readonly ip?: string;
}

const ONCE = [
  [1, [NEW]],
  [11, [NEW]],
] as const;
const TWICE = [
  [1, [NEW, OTHER]],
  [11, [NEW, OTHER]],
] as const;
const ON_NODE = { providerID: "digitalocean://n1", dropletHadAddress: false };

const ROWS: readonly Row[] = [
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
    name: "is told by spec.ips which one it is",
    lists: [
      [1, [NEW, OTHER]],
      [11, [NEW, OTHER]],
    ],
    spec: [OTHER],
    is: "listed",
    ip: OTHER,
  },
  {
    name: "is not told by an address of spec.ips that has a node",
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
  { name: "waits for one that runs: its answer tells", lists: ONCE, others: [{ running: true }], is: "wait" },
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
    name: "trusts no node of which nobody knows what it had before",
    intent: { providerID: "digitalocean://n1" },
    lists: [],
    held: [NEW, "n1"],
    is: "wait",
  },
];

describe("an open creation", () => {
  for (const { name, intent = {}, lists, held, spec = [], known, is, ip, shown = {}, others = [], provider } of ROWS) {
    it(name, () => {
      const cloud = new ModelCloud();
      for (const listed of lists.flatMap(([, ips]) => ips)) cloud.addresses.set(listed, undefined);
      if (held !== undefined) cloud.addresses.set(held[0], `digitalocean://${held[1]}`);
      cloud.addPool("p", { desiredIPs: 1, ips: spec, ...(provider !== undefined && { provider }) });
      const began = cloud.now;
      if (known !== undefined) cloud.edit("p", { status: { ips: { [known]: { state: "no-match" } } } });
      const listObservations = lists.map(([at, ips]) => ({ at: cloud.now + at * 1000, unassigned: new Set(ips) }));
      const pending: PendingCreation = {
        startedAt: timestamp(cloud.now),
        provider: "digitalocean",
        family: "IPv4",
        unassignedSeen: [OLD],
        ...intent,
      };
      cloud.now += 700_000;
      const base = cloud.snapshot("p");
      const get = (each: string) => {
        const seen = base.inventory.get(each);
        return seen && { ...seen, ...shown[each] };
      };
      const resource = { kind: "FloatingIPPool", namespace: "default", name: "q", uid: "uid-q" };
      const otherCreations = others.map(({ startedAt, ...other }) => ({
        ...{ resource, ...other },
        ...(startedAt === undefined ? {} : { startedAt: began + startedAt * 1000 }),
      }));
      const inventory = { ...base.inventory, get };
      const snapshot = { ...base, inventory, otherCreations, memory: { ...NO_MEMORY, lists: listObservations } };
      const end = settle(snapshot, pending);
      expect(end.is).to.equal(is);
      if (ip !== undefined) expect(end).to.include({ ip });
    });
  }

  describe("is not what belongs to somebody else, nor what is doubted", () => {
    const twice = (ip: string): ListObservation[] =>
      [60, 70].map((at) => ({ at: at * 1000, unassigned: new Set([ip]) }));
    function end(ip: string, change: (snapshot: Snapshot) => Partial<Snapshot>, intent: Partial<PendingCreation> = {}) {
      const cloud = new ModelCloud();
      cloud.addPool("p", { desiredIPs: 1 });
      const began = cloud.now;
      cloud.addresses.set(ip, intent.providerID);
      cloud.now += 100_000;
      const lists = twice(ip).map(({ at, unassigned }) => ({ at: began + at, unassigned }));
      const memory = { ...NO_MEMORY, lists: intent.providerID === undefined ? lists : [] };
      const snapshot = { ...cloud.snapshot("p"), memory };
      const pending: PendingCreation = {
        startedAt: timestamp(began),
        provider: "digitalocean",
        family: "IPv4",
        ...intent,
      };
      return settle({ ...snapshot, ...change(snapshot) }, pending).is;
    }
    const shown = (more: object) => (snapshot: Snapshot) => {
      const { inventory } = snapshot;
      const alter = (seen: InventoryAddress): InventoryAddress => ({ ...seen, ...more });
      const get = (ip: string) => inventory.get(ip) && alter(inventory.get(ip) as InventoryAddress);
      return { inventory: { ...inventory, get, heldBy: (node: string) => inventory.heldBy(node).map(alter) } };
    };

    it("an address that another resource has, or that was borrowed", () => {
      const owner = { kind: "FloatingIPPool", namespace: "default", name: "q", uid: "uid-q" };
      expect(end(NEW, () => ({}))).to.equal("ours");
      expect(end(NEW, () => ({ ownerOf: () => owner }))).to.equal("nothing");
      expect(end(NEW, shown({ borrowed: true }))).to.equal("nothing");
    });

    it("an address on its node that is doubted, or of the other family", () => {
      expect(end(NEW, () => ({}), ON_NODE)).to.equal("ours");
      expect(end(NEW, shown({ unconfirmed: true }), ON_NODE)).to.equal("wait");
      expect(end(NEW, shown({ family: "IPv6" }), ON_NODE)).to.equal("wait");
    });
  });

  const SET_BACK: readonly (readonly [
    string,
    readonly (readonly [number, readonly string[]])[],
    CreationRecovery["is"],
  ])[] = [
    [
      "nothing was created",
      [
        [61, [OLD]],
        [72, [OLD]],
      ],
      "nothing",
    ],
    [
      "there is a newcomer",
      [
        [1, [OLD, NEW]],
        [12, [OLD, NEW]],
      ],
      "ours",
    ],
    [
      "a list is older than what this process knows of it",
      [
        [-20, [NEW]],
        [-5, [NEW]],
      ],
      "wait",
    ],
  ];
  for (const [what, lists, is] of SET_BACK) {
    it(`is settled though the clock was set back since: ${what}`, () => {
      const cloud = new ModelCloud();
      for (const listed of lists.flatMap(([, ips]) => ips)) cloud.addresses.set(listed, undefined);
      cloud.addPool("p", { desiredIPs: 1 });
      const intentSeenAt = cloud.now;
      const startedAt = timestamp(cloud.now + 3_600_000);
      const listObservations = lists.map(([at, ips]) => ({ at: cloud.now + at * 1000, unassigned: new Set(ips) }));
      cloud.now += 100_000;
      const snapshot = { ...cloud.snapshot("p"), memory: { ...NO_MEMORY, lists: listObservations, intentSeenAt } };
      const intent: PendingCreation = { startedAt, provider: "digitalocean", family: "IPv4", unassignedSeen: [OLD] };
      expect(settle(snapshot, intent).is).to.equal(is);
    });
  }
});
