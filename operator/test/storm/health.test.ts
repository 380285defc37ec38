/** The oracle's rules for health checks, in made-up histories: each finds its mistake, and nothing without it. */

import { expect } from "chai";
import { describe, it } from "mocha";
import type { Check, CheckSettings, Fact, History, NodeState, RecordsFact } from "./history.js";
import { assign, fact, held, history, IP, NODE, NOW, OTHER_IP, POOL } from "./made-up.js";
import { graceHolds, healthyHolderKeeps } from "./oracle/moves.js";
import { healthyNodeStaysPublished } from "./oracle/records.js";
import { movesAreConfirmed } from "./oracle/witnesses.js";

const SECOND = 1000;
const CHECK: CheckSettings = { type: "TCP", intervalSeconds: 1, failureThreshold: 2, successThreshold: 2 };
const CHECKED = [fact("web", 20_000, { ...POOL, check: CHECK })];
const MOVED = [assign(NOW, 2)];
const LIVE = history().processes[0];
const TWO = [LIVE, { ...LIVE, name: "replica-2", identity: "other" }] as History["processes"];

/** The nodes, the first of which changes in some ways at some times. */
function changed(
  ...changes: readonly (readonly [at: number, change: Partial<NodeState>])[]
): readonly Fact<NodeState>[] {
  return [...history().nodes, ...changes.map(([at, change]) => fact("node-1", at, { ...NODE, ...change }))];
}

function finds(check: Check, change: Partial<History>, words: RegExp): void {
  const found = check(history({ resources: CHECKED, ...change }));
  expect(found.map(({ message }) => message).join("\n")).to.match(words);
}

function passes(check: Check, change: Partial<History>): void {
  expect(check(history({ resources: CHECKED, ...change }))).to.deep.equal([]);
}

describe("the oracle of the storm, with health checks", () => {
  it("a holder whose service answers keeps its address, whatever its kubelet does", () => {
    finds(healthyHolderKeeps, { calls: MOVED }, /was taken from node-1/);
    finds(healthyHolderKeeps, { calls: MOVED, nodes: changed([NOW - 60 * SECOND, { kubelet: false }]) }, /was taken/);
    passes(healthyHolderKeeps, { calls: MOVED, nodes: changed([NOW - 20 * SECOND, { service: "closed" }]) });
  });

  it("only a check that fails excuses a move", () => {
    const nodes = changed([NOW - 20 * SECOND, { service: "hangs" }]);
    finds(healthyHolderKeeps, { calls: MOVED, nodes }, /was taken from node-1/);
    const http = [fact("web", 20_000, { ...POOL, check: { ...CHECK, type: "HTTP" as const } })];
    passes(healthyHolderKeeps, { calls: MOVED, nodes, resources: http });
    const closed = changed([NOW - 20 * SECOND, { service: "closed" }]);
    finds(healthyHolderKeeps, { calls: MOVED, nodes: closed, resources: history().resources }, /was taken from node-1/);
  });

  it("a service that is back counts as failed until enough probes have succeeded", () => {
    const back = (at: number) => changed([NOW - 40 * SECOND, { service: "closed" }], [at, {}]);
    passes(healthyHolderKeeps, { calls: MOVED, nodes: back(NOW - 5 * SECOND) });
    finds(healthyHolderKeeps, { calls: MOVED, nodes: back(NOW - 15 * SECOND) }, /was taken from node-1/);
  });

  it("a node that the leader alone does not reach keeps its address, unless its kubelet is silent", () => {
    const cutOff = [{ from: NOW - 20 * SECOND, to: NOW + SECOND, what: "node-1" }];
    finds(healthyHolderKeeps, { calls: MOVED, cutOff }, /was taken from node-1/);
    passes(healthyHolderKeeps, { calls: MOVED, cutOff, nodes: changed([NOW - 30 * SECOND, { kubelet: false }]) });
  });

  it("the storm's own services may have missed probes while its event loop stood still", () => {
    passes(healthyHolderKeeps, {
      calls: MOVED,
      unsure: [{ from: NOW - 8 * SECOND, to: NOW - 7 * SECOND, what: "loop" }],
    });
  });

  it("a failed probe alone moves nothing: a second replica must confirm it", () => {
    const nodes = changed([NOW - 10 * SECOND, { service: "closed" }]);
    finds(movesAreConfirmed, { calls: MOVED, nodes }, /left node-1, whose kubelet renewed.*no second replica/);
    passes(movesAreConfirmed, { calls: MOVED, nodes, processes: TWO });
    const stopped = TWO.map((process, place) =>
      place === 0 ? process : { ...process, signals: [{ at: NOW - 12 * SECOND, signal: "SIGSTOP" as const }] },
    );
    finds(movesAreConfirmed, { calls: MOVED, nodes, processes: stopped }, /no second replica/);
    const lately = stopped.map((process) => ({
      ...process,
      signals: process.signals.map((one) => ({ ...one, at: NOW - 6 * SECOND })),
    }));
    passes(movesAreConfirmed, { calls: MOVED, nodes, processes: lately });
  });

  it("without a second replica, a silent kubelet, Kubernetes, or the leader that led on the node confirms a failure", () => {
    const dead = { service: "closed", kubelet: false } as const;
    passes(movesAreConfirmed, { calls: MOVED, nodes: changed([NOW - 10 * SECOND, dead]) });
    const unready = changed([NOW - 10 * SECOND, { service: "closed", ready: false }]);
    passes(movesAreConfirmed, { calls: MOVED, nodes: unready });
    const nodes = changed([NOW - 10 * SECOND, { service: "closed" }]);
    passes(movesAreConfirmed, { calls: MOVED, nodes, replicaNodes: ["node-1"] });
    passes(movesAreConfirmed, {
      calls: MOVED,
      nodes,
      blind: [{ from: NOW - 9 * SECOND, to: NOW - 8 * SECOND, what: "freeze" }],
    });
  });

  it("the grace period begins when probes may have failed, and goes on while a service flaps", () => {
    const resources = [fact("web", 20_000, { ...POOL, check: CHECK, graceSeconds: 5 })];
    const down = changed([NOW - 3 * SECOND, { service: "closed" }]);
    finds(graceHolds, { calls: MOVED, resources, nodes: down }, /3000 ms after that failed/);
    passes(graceHolds, { calls: MOVED, resources, nodes: changed([NOW - 6 * SECOND, { service: "closed" }]) });
    const flapping = (up: number) =>
      changed([NOW - 20 * SECOND, { service: "closed" }], [up, {}], [NOW - 2 * SECOND, { service: "closed" }]);
    passes(graceHolds, { calls: MOVED, resources, nodes: flapping(NOW - 3 * SECOND) });
    finds(graceHolds, { calls: MOVED, resources, nodes: flapping(NOW - 12 * SECOND) }, /2000 ms after that failed/);
  });

  it("a node that is well stays in the record sets of nodes", () => {
    const dns = { cloud: "digitalocean", fqdn: "nodes.example.com", deletes: false } as const;
    const resources = [fact("nodes", 20_000, { ...POOL, kind: "set" as const, dns, check: CHECK })];
    const set = (at: number, ...values: readonly string[]): RecordsFact => {
      return { at, cloud: "digitalocean", key: "A nodes.example.com", values, by: "api" };
    };
    const records = [set(30_000, "198.18.0.1", "198.18.0.9"), set(NOW, "198.18.0.9")];
    const nodes = [fact("node-1", 20_000, NODE)];
    finds(healthyNodeStaysPublished, { resources, records, nodes }, /lost 198.18.0.1 of node-1/);
    const dead = [...nodes, fact("node-1", NOW - 10 * SECOND, { ...NODE, service: "closed" as const })];
    passes(healthyNodeStaysPublished, { resources, records, nodes: dead });
    const byHand = records.map((one) => ({ ...one, by: "hand" as const }));
    passes(healthyNodeStaysPublished, { resources, records: byHand, nodes });
    passes(healthyNodeStaysPublished, { resources, records: [set(30_000, OTHER_IP), set(NOW, "198.18.0.1")], nodes });
  });

  it("moves by hand are nobody's mistake", () => {
    const holders = [held(20_000, IP, null, "hand"), held(20_001, IP, 1, "hand")];
    for (const check of [healthyHolderKeeps, movesAreConfirmed]) passes(check, { calls: MOVED, holders });
  });
});
