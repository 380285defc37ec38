/** A pool has fewer active addresses than desired because of the nodes. */

import type { SlimNode, SlimPod } from "../../src/kube/cache/slim.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { type RefusedNodes, refusedNodes } from "../../src/messages/nodes/refused-nodes.js";
import { providerMessages } from "../../src/messages/provider.js";
import { readyCondition, slimNode } from "../match/cluster.js";
import { slimPod } from "../support/kube/objects.js";
import { A, B, C, refused, type Scene, seenOf, tallyAmong } from "./pool-scenes.js";
import type { Group, Situation } from "./situation.js";

const REGION = "topology.kubernetes.io/region";
const LOBBY = { kind: "RoutedIP", namespace: "game", name: "lobby", uid: "lobby" };
const PODS = { podNamespace: "shop", podLabel: "app=web" };
const POD = slimPod("web-7d4b9", { namespace: "shop", labels: { app: "web" }, nodeName: "node-3", ready: false });
const SERVING = { ...POD, nodeName: "node-1", ready: true };
const WAITING = { ...POD, nodeName: undefined, phase: "Pending" };
const EDGE = { labels: { pool: "edge" } };
const EDGE_PODS = { ...PODS, nodeLabel: "pool=edge" };
const TOO_FEW = "Fulfilled TooFewCandidates";
const NONE = "Fulfilled NoCandidate";

type Row = Omit<Situation, "kind">;

function pool(row: Row): Situation {
  return { kind: "FloatingIPPool", ...row };
}

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
        `flipop orphans --release ${B} --unassign`,
      ],
      seen: () => seenOf({ held: { [B]: "node-1" } }),
      fix: "A pool or RoutedIP that was deleted under `reclaimPolicy: Retain` left it there, for example. Use it in place of the address that has no node: one more address (`flipop adopt --raise`) needs one more node. Or release it with `flipop orphans --release`",
    }),
    pool({
      when: "An address that the pool no longer asks for is on the node",
      shows: TOO_FEW,
      names: ["node-2", B, "no longer asks for", "unassign"],
      seen: () =>
        seenOf({ nodes: ["node-2"], spec: { ips: [A, B], desiredIPs: 1 }, held: { [A]: undefined, [B]: "node-2" } }),
      fix: "Under `reclaimPolicy: Retain`, an address stays on its node when `desiredIPs` no longer counts it: raise `desiredIPs`, or unassign the address at the provider",
    }),
    pool({
      when: "The provider has no machine for the node",
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
      fix: "Delete the node, unless its machine is in another account: then correct `spec.providerID`",
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
        const takenByOlder = () => new Map([["digitalocean://node-1", first]]);
        return seenOf({ change: () => ({ share: () => [], takenByOlder }) });
      },
      fix: "Add a node; the oldest resource chooses first",
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

const REFUSED: Group = {
  heading: "A pool has no address, because no node matches",
  situations: [
    pool({
      when: "The cluster has no node",
      shows: NONE,
      names: ["no nodes", "administrator add a node"],
      seen: () => seenOf({ nodes: [] }),
      fix: "Add a node",
    }),
    pool({
      when: "No node has the labels of `match.nodeLabel`",
      shows: NONE,
      names: ["kubectl label node NODE pool=edge", "spec.match.nodeLabel"],
      seen: () => refused({ match: { nodeLabel: "pool=edge" } }),
      fix: "`kubectl label node node-3 pool=edge`, or correct `match.nodeLabel`",
    }),
    pool({
      when: "The node has the label of `match.nodeLabel` with another value",
      shows: NONE,
      names: ["kubectl label node NODE pool=edge --overwrite"],
      seen: () => refused({ node: { labels: { pool: "work" } }, match: { nodeLabel: "pool=edge" } }),
      fix: "`kubectl label node node-3 pool=edge --overwrite`, or correct `match.nodeLabel`",
    }),
    pool({
      when: "`match.nodeLabel` is `!KEY`, and the nodes have the label with value false",
      shows: NONE,
      names: ["label spot be absent", 'with value "false"', "use spot!=true in spec.match.nodeLabel"],
      seen: () => refused({ node: { labels: { spot: "false" } }, match: { nodeLabel: "!spot" } }),
      fix: "`!spot` asks that nodes do not have the label at all: use `spot!=true`, or remove the label",
    }),
    pool({
      when: "The node is not ready",
      shows: NONE,
      names: ["node-3", "NodeNotReady", "kubectl describe node node-3"],
      seen: () => refused({ node: { conditions: [{ ...readyCondition("Unknown"), reason: "NodeStatusUnknown" }] } }),
      fix: "`kubectl describe node node-3`; check its kubelet",
    }),
    pool({
      when: "The node is cordoned or drained",
      shows: NONE,
      names: ["node-3", "kubectl uncordon node-3", "spec.match.tolerations"],
      seen: () => refused({ node: { unschedulable: true } }),
      fix: "`kubectl uncordon node-3`, or tolerate `node.kubernetes.io/unschedulable`",
    }),
    pool({
      when: "The node has a taint that the pool does not tolerate",
      shows: NONE,
      names: ["node-3", "dedicated=db:NoSchedule", "tolerate the taint in spec.match.tolerations"],
      seen: () => refused({ node: { taints: [{ key: "dedicated", value: "db", effect: "NoSchedule" }] } }),
      fix: "Add the taint to `match.tolerations`, or remove it from the node",
    }),
    pool({
      when: "Kubernetes has tainted the node, because it is short of a resource",
      shows: NONE,
      names: ["node-3", "node.kubernetes.io/disk-pressure", "repair what the taint of node-3 names"],
      seen: () => refused({ node: { taints: [{ key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" }] } }),
      fix: "Free the resource on the node",
    }),
    pool({
      when: "No pod of `match.podLabel` is on the node",
      shows: NONE,
      names: ["app=web", "run such a pod on a node", "spec.match.podLabel"],
      seen: () => refused({ match: PODS }),
      fix: "`kubectl -n NAMESPACE get pods -l app=web -o wide`; correct the workload or `match`",
    }),
    pool({
      when: "`match.podNamespace` has a typo, and a node has the labels",
      shows: NONE,
      names: ["node-3: it runs no pod of namespace shopp", "no such pod exists", "spec.match.podNamespace"],
      seen: () => refused({ node: EDGE, match: { ...EDGE_PODS, podNamespace: "shopp" }, pods: [POD] }),
      fix: "Correct `match.podNamespace`",
    }),
    pool({
      when: "The pods run, but not on nodes with the labels of `match.nodeLabel`",
      shows: NONE,
      names: [
        "node-3: it runs no pod of namespace shop",
        "pod shop/web-7d4b9 is ready, on node-9",
        "run such a pod on a node with the label",
      ],
      seen: () => refused({ node: EDGE, match: EDGE_PODS, pods: [{ ...POD, nodeName: "node-9", ready: true }] }),
      fix: "Give the pods the same `nodeSelector`, or correct `match.nodeLabel`",
    }),
    pool({
      when: "The pod has no node yet",
      shows: NONE,
      names: ["pod shop/web-7d4b9 is Pending, and on no node yet", "kubectl -n shop describe pod web-7d4b9"],
      seen: () => refused({ match: PODS, pods: [WAITING] }),
      fix: "`kubectl -n shop describe pod web-7d4b9` shows why the scheduler finds no node",
    }),
    pool({
      when: "The pod on the node is not ready",
      shows: NONE,
      names: ["node-3", "web-7d4b9", "repair pod shop/web-7d4b9 (kubectl -n shop describe pod web-7d4b9"],
      seen: () => refused({ match: PODS, pods: [POD] }),
      fix: "`kubectl -n NAMESPACE describe pod web-7d4b9`",
    }),
    pool({
      when: "The pod on the node has ended, such as that of a Job",
      shows: NONE,
      names: ["pod shop/web-7d4b9 has ended (Succeeded)", "run another one on the node"],
      seen: () => refused({ match: PODS, pods: [{ ...POD, phase: "Succeeded" }] }),
      fix: "Correct `match.podLabel`, or run the pods as a Deployment or DaemonSet",
    }),
    pool({
      when: "The node has no `spec.providerID`",
      shows: NONE,
      names: ["node-3", "spec.providerID", "cloud controller manager"],
      seen: () => refused({ node: { providerID: undefined } }),
      fix: "Check the cloud controller manager, which sets it",
    }),
    pool({
      when: "The node's machine is in another cloud",
      shows: NONE,
      names: ["node-3", "aws:///eu-west-1a/i-0123", "digitalocean", "exclude the node with spec.match.nodeLabel"],
      seen: () => refused({ node: { providerID: "aws:///eu-west-1a/i-0123" } }),
      fix: "Use nodes of the provider; exclude this one with `match.nodeLabel`",
    }),
    pool({
      when: "The node's `spec.providerID` names no machine",
      shows: NONE,
      names: ["node-3", '"digitalocean://abc"', "digitalocean://<droplet id>", "administrator", "delete the Node"],
      seen: () => refused({ node: { providerID: "digitalocean://abc" } }),
      fix: "Correct what sets it: the cloud controller manager or a flag of the kubelet. Then `kubectl delete node node-3`, and its kubelet registers it again",
    }),
    pool({
      when: "The node is being deleted",
      shows: NONE,
      names: ["node-3", "being deleted", "add a node that matches"],
      seen: () => refused({ node: { deletionTimestamp: "2025-06-01T09:59:00Z" } }),
      fix: "Add a node",
    }),
    pool({
      when: "The probes of `healthCheck` fail",
      shows: NONE,
      names: ["node-3", "10.0.0.3:80", "check the service on node-3"],
      seen: () => refused({ probeFailure: "TCP 10.0.0.3:80: connection refused" }),
      fix: "Check the service on the node, and the port of `healthCheck`",
    }),
  ],
};

export const POOL_NODES: readonly Group[] = [OCCUPIED, REFUSED];
