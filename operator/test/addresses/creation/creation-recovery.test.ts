import type { PendingCreation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type CreationRecovery, settle } from "../../../src/addresses/creation/creation-recovery.js";
import type { ListObservation } from "../../../src/addresses/creation/creation-registry.js";
import { timestamp } from "../../../src/clock.js";
import type { Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import type { InventoryAddress } from "../../../src/inventory/view.js";
import { ModelCloud } from "../../controllers/floating-ip-pool/support/model-cloud.js";
import { NO_MEMORY } from "../../controllers/floating-ip-pool/support/no-memory.js";
import { NEW, OLD, ON_NODE, OPEN_CREATIONS } from "./open-creations.js";

describe("an open creation", () => {
  for (const {
    name,
    intent = {},
    lists,
    held,
    spec = [],
    known,
    is,
    ip,
    ips,
    shown = {},
    others = [],
    provider,
    wasAssigned = {},
  } of OPEN_CREATIONS) {
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
      const memory = { ...NO_MEMORY, lists: listObservations, wasAssigned: new Map(Object.entries(wasAssigned)) };
      const snapshot = { ...base, inventory, otherCreations, memory };
      const end = settle(snapshot, pending);
      expect(end.is).to.equal(is);
      if (ip !== undefined) expect(end).to.include({ ip });
      if (ips !== undefined) expect(end).to.deep.include({ ips });
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
