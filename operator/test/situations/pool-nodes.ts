/** A pool has fewer active addresses than desired because of the nodes. */

import type { SlimNode, SlimPod } from "../../src/kube/cache/slim-objects.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { type RefusedNodes, refusedNodes } from "../../src/messages/nodes/refused-nodes.js";
import { providerMessages } from "../../src/messages/provider.js";
import { slimNode } from "../match/cluster.js";
import { A, B, C, EDGE, EDGE_PODS, POD, pool, type Scene, seenOf, tallyAmong } from "./pool-scenes.js";
import type { Group } from "./situation.js";

const REGION = "topology.kubernetes.io/region";
const LOBBY = { kind: "RoutedIP", namespace: "game", name: "lobby", uid: "lobby" };
const SERVING = { ...POD, nodeName: "node-1", ready: true };
const WAITING = { ...POD, nodeName: undefined, phase: "Pending" };
const TOO_FEW = "Fulfilled TooFewCandidates";
const WRITTEN = { provider: "digitalocean", zone: "example.com", recordName: "web.example.com", types: ["A"] } as const;

/** What a pool with `EDGE_PODS` reads of these nodes. */
function refusalsAmong(nodes: Readonly<Record<string, Partial<SlimNode>>>, pods: readonly SlimPod[]): RefusedNodes {
  const directory = new NodeDirectory(Object.entries(nodes).map(([name, more]) => slimNode(name, more)));
  return refusedNodes(tallyAmong(directory, { match: EDGE_PODS, pods }), "match");
}

/** The account has `A` in this region. */
function inRegion(region: string): NonNullable<Scene["change"]> {
  return ({ inventory }) => {
    const get = (ip: string) => {
      const facts = inventory.get(ip);
      return facts && { ...facts, region };
    };
    return { inventory: { ...inventory, get } };
  };
}

const OCCUPIED: Group = {
  heading: "A pool has fewer addresses than desired, although nodes match",
  situations: [
    pool({
      when: "Another pool's address is on the node",
      shows: TOO_FEW,
      names: ["node-2", B, "FloatingIPPool default/second"],
      seen: () =>
        seenOf({
          nodes: ["node-1", "node-2"],
          others: { second: { ips: [B] } },
          spec: { ips: [A, C] },
          held: { [A]: "node-1", [B]: "node-2" },
        }),
      fix: "Add a node, or let the two pools match different nodes",
    }),
    pool({
      when: "A RoutedIP's address is on the node",
      shows: TOO_FEW,
      names: ["node-1", B, "RoutedIP game/lobby"],
      seen: () =>
        seenOf({
          held: { [B]: "node-1" },
          change: ({ ownerOf }) => ({ ownerOf: (ip) => (ip === B ? LOBBY : ownerOf(ip)) }),
        }),
      fix: "Add a node, or keep the pods of the Service off the pool's nodes",
    }),
    pool({
      when: "An address that no resource names is on the node",
      shows: TOO_FEW,
      names: [
        "node-1",
        B,
        "no resource",
        `put ${B} into ips in place of ${A}`,
        `append ${B} to ips and set desiredIPs to 1`,
        `flipop orphans --release ${B} --unassign`,
      ],
      seen: () => seenOf({ held: { [B]: "node-1" } }),
      fix: "A pool or RoutedIP that was deleted under `reclaimPolicy: Retain` left it there, for example. Use it in place of the address that has no node: one more address (`flipop adopt --raise`) needs one more node. Or release it with `flipop orphans --release`",
    }),
    pool({
      when: "An address that the pool no longer asks for is on the node, and another pool lists it",
      shows: TOO_FEW,
      names: ["node-2", B, "no longer asks for", "unassign"],
      seen: () =>
        seenOf({
          ...{ nodes: ["node-2"], spec: { ips: [A, B], desiredIPs: 1 }, held: { [A]: undefined, [B]: "node-2" } },
          status: { ips: { [B]: { state: "disabled", providerID: "digitalocean://node-2" } } },
          others: { second: { ips: [B] } },
        }),
      fix: "Under `reclaimPolicy: Retain`, an address stays on its node when `desiredIPs` is lower than the number of addresses, and this one is the surplus. The operator takes it off if one of the others needs the node, unless another resource lists it, too. Remove it from the `ips` of one of the two pools: the other one has it then",
    }),
    pool({
      when: "An address that the pool no longer asks for serves on the only node, and leaves it for one that it asks for",
      shows: "Fulfilled UnderWay",
      names: ["node-2", A, B, "no longer asks for", "DNS"],
      seen: () =>
        seenOf({
          nodes: ["node-1", "node-2"],
          spec: { ips: [A, C, B], desiredIPs: 2, dnsRecordSet: { zone: "example.com", recordName: "web.example.com" } },
          held: { [A]: undefined, [C]: "node-1", [B]: "node-2" },
          status: {
            ips: { [B]: { state: "active", providerID: "digitalocean://node-2" } },
            dns: { ...WRITTEN, values: [B, C] },
          },
        }),
      fix: "After a change of `ips` or `desiredIPs`, for example. Wait: the address leaves DNS, a TTL later its node, and the other one gets this node. With one more node, both serve meanwhile",
    }),
    pool({
      when: "The provider has no machine for the node: it was deleted or destroyed, for example",
      shows: TOO_FEW,
      names: ["node-1", "has no machine digitalocean://node-1", "administrator correct the node's providerID"],
      seen: () =>
        seenOf({
          change: ({ memory, now }) => {
            const [node, machine] = ["node-1", "digitalocean://node-1"];
            const nodeProblems = new Map([[machine, providerMessages.noMachine({ node, machine })]]);
            return { memory: { ...memory, nodeRetryAt: new Map([[machine, now + 60_000]]), nodeProblems } };
          },
        }),
      fix: "Delete the Node object (`kubectl delete node NAME`), unless its machine is in another account: then correct `spec.providerID`",
    }),
    pool({
      when: "Another resource's address is on its way to the node",
      shows: TOO_FEW,
      names: ["node-1", "RoutedIP game/lobby"],
      seen: () => seenOf({ change: ({ inventory }) => ({ inventory: { ...inventory, reservedFor: () => LOBBY } }) }),
      fix: "Add a node: this one is taken",
    }),
    pool({
      when: "An older pool waits for the same node",
      shows: TOO_FEW,
      names: ["node-1", "FloatingIPPool default/first"],
      seen: () => {
        const first = { kind: "FloatingIPPool", namespace: "default", name: "first", uid: "first" };
        const takenBefore = () => new Map([["digitalocean://node-1", first]]);
        return seenOf({ change: () => ({ share: () => [], takenBefore }) });
      },
      fix: "Add a node; existing addresses come first, then the oldest resource",
    }),
    pool({
      when: "Fewer nodes match than the pool has addresses",
      shows: TOO_FEW,
      names: ["2 nodes are needed", "1 of 2 nodes match", "kubectl uncordon node-2", "add nodes that match"],
      seen: () =>
        seenOf({
          nodes: ["node-1", { name: "node-2", more: { unschedulable: true } }],
          spec: { ips: [A, B] },
          held: { [A]: "node-1" },
        }),
      fix: "Add nodes, or lower `desiredIPs`",
    }),
    pool({
      when: "A node has the labels, and none of the pods runs on it",
      shows: TOO_FEW,
      names: [
        "2 nodes are needed",
        "1 of 3 nodes match; 1 NoPod (node-2: it runs no pod of namespace shop with app=web)",
        "let the workload run a pod on node-2",
        "; or ask for fewer addresses",
      ],
      seen: () =>
        seenOf({
          spec: { ips: [A, B] },
          held: { [A]: "node-1" },
          change: () => ({ refusals: refusalsAmong({ "node-1": EDGE, "node-2": EDGE, "node-3": {} }, [SERVING]) }),
        }),
      fix: "Run more of the pods, spread over the nodes, or lower `desiredIPs`",
    }),
    pool({
      when: "A node has the labels, and the pod for it is Pending",
      shows: TOO_FEW,
      names: ["node-2: it runs no pod", "pod shop/web-x is Pending, and on no node yet", "repair pod shop/web-x"],
      seen: () => {
        const pods = [SERVING, { ...WAITING, name: "web-x" }];
        const refusals = refusalsAmong({ "node-1": EDGE, "node-2": EDGE }, pods);
        return seenOf({ spec: { ips: [A, B] }, held: { [A]: "node-1" }, change: () => ({ refusals }) });
      },
      fix: "`flipop explain` shows what the scheduler says of the pod: make room for it, or correct its nodeSelector, affinity or tolerations",
    }),
    pool({
      when: "The address is in another region than the nodes",
      shows: "Fulfilled WrongRegion",
      names: [A, "fra1", "ams3"],
      seen: () =>
        seenOf({ nodes: [{ name: "node-1", more: { labels: { [REGION]: "ams3" } } }], change: inRegion("fra1") }),
      fix: "Use an address of the nodes' region",
    }),
    pool({
      when: "The cool-off has not ended",
      shows: "Fulfilled CoolingOff",
      names: ["assignmentCoolOffSeconds", "2025-06-01T10:09:00Z"],
      seen: () =>
        seenOf({
          spec: { ips: [A], assignmentCoolOffSeconds: 600 },
          status: { lastAssignmentTime: "2025-06-01T09:59:00Z" },
        }),
      fix: "Wait until the time in the message, or lower `assignmentCoolOffSeconds`",
    }),
  ],
};

export const POOL_NODES: readonly Group[] = [OCCUPIED];
