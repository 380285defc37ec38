/** A pool has no address, because no node matches. */

import { readyCondition } from "../match/cluster.js";
import { EDGE, EDGE_PODS, POD, PODS, pool, refused, seenOf } from "./pool-scenes.js";
import type { Group } from "./situation.js";

const CANDIDATE = { key: "DeletionCandidateOfClusterAutoscaler", value: "1795956433", effect: "PreferNoSchedule" };
const WAITING = { ...POD, nodeName: undefined, phase: "Pending" };
const NONE = "Fulfilled NoCandidate";

export const POOL_MATCH: Group = {
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
      fix: "`!spot` selects only nodes without the label: use `spot!=true`, or remove the label",
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
      when: "The cluster autoscaler marked the node for a possible deletion",
      shows: NONE,
      names: ["node-3", "the cluster autoscaler set", "may delete the node", "scale-down-disabled=true"],
      seen: () => refused({ node: { taints: [CANDIDATE] } }),
      fix: "Tolerate the key in `match.tolerations`, or keep the autoscaler from the node; it sets a removed taint again",
    }),
    pool({
      when: "The cluster autoscaler deletes the node",
      shows: NONE,
      names: ["node-3", "the cluster autoscaler set", "deletes the node", "another node takes over"],
      seen: () => refused({ node: { taints: [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }] } }),
      fix: "Nothing; another node takes over once one matches",
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
      names: ["pod shop/web-7d4b9 has ended (Succeeded)", "select other pods", "pod shop/web-7d4b9 never runs again"],
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
      names: ["node-3", "its deletion began at", "add a node that matches"],
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
