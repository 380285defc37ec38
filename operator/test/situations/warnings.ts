/** A resource serves, and a person should know something all the same; and what a deletion leaves behind. */

import { Finalizer } from "cdk8s-flipop/api";
import { retainedEvents } from "../../src/addresses/retained-events.js";
import { Claims } from "../../src/claims/claims.js";
import { plan } from "../../src/controllers/floating-ip-pool/plan.js";
import type { NodeDoubt } from "../../src/health/witness.js";
import type { Inventories } from "../../src/inventory/inventories.js";
import type { InventoryAddress } from "../../src/inventory/view.js";
import { abandoned } from "../../src/messages/events.js";
import { actionsOf } from "../../src/reconcile/plan.js";
import { partial } from "../support/kube/partial.js";
import { A, B, cloudOf, pool, seenOf } from "./pool-scenes.js";
import { IP, routed, routedSeen } from "./routed-scenes.js";
import { type Group, refusedToken, type Seen } from "./situation.js";

function doubted(doubt: NodeDoubt["doubt"], detail = "TCP 10.0.0.1:80: no answer within 1 s"): Seen {
  const doubts = [{ node: "node-1", doubt, detail }];
  return seenOf({ held: { [A]: "node-1" }, change: () => ({ doubts }) }, "ProbesDoubted");
}

const SERVES: Group = {
  heading: "The resource serves, and a condition warns",
  situations: [
    routed({
      when: "The address is on a node where only a leftover or hand-written EndpointSlice has an endpoint, and pods serve on others",
      shows: "Assigned EndpointWithoutPod",
      names: ["an endpoint without a pod (EndpointSlice web/old)", "kubectl -n web delete endpointslice old"],
      seen: () =>
        routedSeen({
          prepare: (world) => world.settle(),
          change: ({ candidates }) => ({
            podlessOn: (node) => (node === "other" ? undefined : "web/old"),
            candidates: [...candidates, ...candidates.slice(0, 1).map((node) => ({ ...node, name: "other" }))],
          }),
        }),
      fix: "Delete the slice, if no program outside of Kubernetes answers there",
    }),
    routed({
      when: "The address is on a node where only hand-written EndpointSlices have endpoints, as everywhere",
      shows: "Assigned Observed",
      names: ["node-1, which counts only for an endpoint without a pod (EndpointSlice web/old)"],
      seen: () => routedSeen({ prepare: (world) => world.settle(), change: () => ({ podlessOn: () => "web/old" }) }),
      fix: "Delete the slice, if no program outside of Kubernetes answers there: `kubectl -n web delete endpointslice old`",
    }),
    pool({
      when: "`ips` lists an address twice",
      shows: "Accepted DuplicateAddress",
      names: [A],
      seen: () => seenOf({ spec: { ips: [A, A] }, held: { [A]: "node-1" } }, "Accepted"),
      fix: "Remove the duplicate",
    }),
    pool({
      when: "A toleration is not usable",
      shows: "Accepted Invalid",
      names: ["spec.match.tolerations[0]", "Sometimes"],
      seen: () =>
        seenOf(
          {
            held: { [A]: "node-1" },
            change: () => ({ passedOver: ['spec.match.tolerations[0]: operator is "Sometimes", not Exists or Equal'] }),
          },
          "Accepted",
        ),
      fix: "Correct the toleration",
    }),
    pool({
      when: "`match` has `podLabel` without `podNamespace`, and pods of several namespaces have the labels",
      shows: "Fulfilled SeveralNamespaces",
      names: ["namespaces prod, qa", "set match.podNamespace"],
      seen: () =>
        seenOf({ held: { [A]: "node-1" }, change: () => ({ podNamespaces: () => ["prod", "qa"] }) }, "Fulfilled"),
      fix: "Set `match.podNamespace`, if the addresses are for the pods of one namespace: they leave the other nodes at once",
    }),
    pool({
      when: "The pods on the node of an address have no hostPort, though pods on other nodes have one, as during a rollout that removes it",
      shows: "Fulfilled NoOpenPort",
      names: ["node-1", "hostPort", "NodePort of a Service"],
      seen: () =>
        seenOf({ held: { [A]: "node-1" }, change: () => ({ portlessOf: (nodes) => ({ nodes }) }) }, "Fulfilled"),
      fix: "Give all pods the hostPort. Nothing, if clients use a NodePort of a Service",
    }),
    pool({
      when: "The hostPort of the pods has the hostIP 127.0.0.1",
      shows: "Fulfilled NoOpenPort",
      names: ["node-1", "hostPort 443 on hostIP 127.0.0.1 only", "remove hostIP"],
      seen: () => {
        const local = { protocol: "TCP", containerPort: 8443, hostPort: 443, loopback: "127.0.0.1" };
        return seenOf(
          { held: { [A]: "node-1" }, change: () => ({ portlessOf: (nodes) => ({ nodes, local }) }) },
          "Fulfilled",
        );
      },
      fix: "Remove `hostIP` from the port of the pods",
    }),
    pool({
      when: "A pool that was deleted under `reclaimPolicy: Retain` and created again has new addresses",
      shows: "Fulfilled UnlistedAddresses",
      names: [`no resource names ${B} (on node-2)`, `set ips: [${B}]`, "flipop orphans"],
      seen: () =>
        seenOf({
          ...{
            nodes: ["node-1", "node-2"],
            spec: { region: "", desiredIPs: 1, ips: [A] },
            held: { [A]: "node-1", [B]: "node-2" },
          },
          status: { createdIPs: [{ ip: A, createdTime: "2025-06-01T09:00:00Z", inSpec: true }] },
        }),
      fix: "Write the former addresses in `ips`, in place of the new ones, and keep them in Git; then release the new ones with `flipop orphans --release`",
    }),
    pool({
      when: "All nodes that match are in another region than `region`, though the pool's addresses serve there",
      shows: "Fulfilled NoNodeInRegion",
      names: ["region is nyc33", "nyc3", "set region to nyc3"],
      seen: () => {
        const more = { labels: { "topology.kubernetes.io/region": "nyc3" } };
        const nodes = [{ name: "node-1", more }];
        return seenOf({ nodes, spec: { ips: [A], region: "nyc33" }, held: { [A]: "node-1" } }, "Fulfilled");
      },
      fix: "Set `region` to the region of the nodes. The addresses stay",
    }),
    pool({
      when: "Pods of two workloads have the labels of `match.podLabel`, such as a blue and a green Deployment",
      shows: "Fulfilled SeveralWorkloads",
      names: ["Deployment game/blue, Deployment game/green", "app=web", "select that in match.podLabel"],
      seen: () => {
        const match = { podNamespace: "game", podLabel: "app=web" };
        const podOwners = () => ["Deployment game/blue", "Deployment game/green"];
        return seenOf(
          { spec: { ips: [A], match }, held: { [A]: "node-1" }, change: () => ({ podOwners }) },
          "Fulfilled",
        );
      },
      fix: "Nothing, if both are meant. Otherwise give the pods of one of them a label of their own, and select it",
    }),
    pool({
      when: "The pool no longer needs an address, and nothing shows that the operator created it",
      shows: "Accepted OwnershipInferred",
      names: [B, "owner of the account"],
      seen: () =>
        seenOf(
          {
            spec: { desiredIPs: 1, ips: [A], reclaimPolicy: "Delete" },
            held: { [A]: "node-1", [B]: undefined },
            status: { createdIPs: [{ ip: B, createdTime: "2025-06-01T09:00:00Z", inferred: true }] },
          },
          "Accepted",
        ),
      fix: "Release it at the provider, unless something else uses it",
    }),
    pool({
      when: "Probes of a node fail, and its kubelet is alive",
      shows: "ProbesDoubted LeaseRenewed",
      names: ["node-1", "10.0.0.1:80"],
      seen: () => doubted("LeaseRenewed"),
      fix: "Check the port of `healthCheck`, and NetworkPolicies between the operator and the node",
    }),
    pool({
      when: "Probes of the leading replica fail, and the standby replica reaches the node",
      shows: "ProbesDoubted StandbyReached",
      names: ["node-1", "standby replica"],
      seen: () => doubted("StandbyReached"),
      fix: "Check the network of the node on which the leading replica runs",
    }),
    pool({
      when: "Probes of a node fail, and the operator may not read Leases",
      shows: "ProbesDoubted NoWitness",
      names: ["node-1", "kube-node-lease"],
      seen: () => doubted("NoWitness"),
      fix: "Apply the roles of this release with feature `healthchecks`",
    }),
    pool({
      when: "Probes of all nodes fail, and both replicas of the operator see it",
      shows: "ProbesDoubted NoNodePasses",
      names: ["node-1", "no candidate"],
      seen: () => doubted("NoNodePasses"),
      fix: "Check the type, port and path of `healthCheck`, and the service on the nodes",
    }),
    pool({
      when: "Probes fail, and the operator does not reach the API server or its own node either",
      shows: "ProbesDoubted ControlProbeFailed",
      names: ["node-1", "API server"],
      seen: () => doubted("ControlProbeFailed"),
      fix: "Check the network of the operator's node",
    }),
    pool({
      when: "A holder has no address that the health check could probe",
      shows: "ProbesDoubted NotProbed",
      names: ["node-1", "no ExternalIP", "healthCheck.address"],
      seen: () => doubted("NotProbed", "no ExternalIP"),
      fix: "Set `healthCheck.address` to a type of address that the node has: `kubectl get nodes -o wide` shows them",
    }),
  ],
};

/** The pool is deleted, and its cleanup has failed for an hour. */
function lateDeletion(): Seen {
  const cloud = cloudOf({ spec: { ips: [], desiredIPs: 1, reclaimPolicy: "Delete" }, held: { [A]: "node-1" } });
  const { metadata } = cloud.pool("web");
  const going = { ...metadata, finalizers: [Finalizer.cleanup], deletionTimestamp: "2025-06-01T07:00:00Z" };
  const status = { createdIPs: [{ ip: A, createdTime: "2025-06-01T06:00:00Z" }] };
  cloud.edit("web", { metadata: going, status });
  const snapshot = cloud.snapshot("web");
  const cleanup = { attempts: 1000, since: snapshot.now - 3 * 3_600_000 };
  const made = plan({ ...snapshot, memory: { ...snapshot.memory, cleanup } });
  const removal = made.sequences.flatMap(actionsOf).find((action) => action.do === "remove-finalizer");
  const event = removal?.do === "remove-finalizer" ? abandoned(removal.abandonedItems, removal.why) : undefined;
  return { where: "Event", reason: `${event?.reason}`, message: `${event?.note}` };
}

/** The account has the address, and no resource names it any more. */
function leftInAccount(): Seen {
  const inventories = partial<Inventories>({ find: () => partial<InventoryAddress>({ ip: A }) });
  const gone = {
    addresses: [{ ip: A, title: "created" }],
    field: "ips",
    spec: {},
    status: {},
    cleanedUp: true,
  } as const;
  const [event] = retainedEvents({ inventories, claims: new Claims() }, gone);
  return { where: "Event", reason: `${event?.reason}`, message: `${event?.note}` };
}

const DELETION: Group = {
  heading: "A deleted resource leaves something behind",
  situations: [
    pool({
      when: "The cleanup failed for more than an hour",
      shows: "Event CleanupAbandoned",
      names: [A, "by hand"],
      seen: lateDeletion,
      fix: "Remove by hand what the Event names; the log shows what failed",
    }),
    routed({
      when: "The cloud rejects the token that the cleanup needs, for example while the namespace is deleted",
      shows: "Accepted Unauthorized",
      names: ["the deletion waits", "rule tcp 443", "Secret default/do", Finalizer.cleanup],
      seen: waitingDeletion,
      fix: "Put a valid token into the Secret: an existing Secret can be changed also in a namespace that is being deleted. If the Secret is gone, remove by hand what the message names, and have a cluster-admin remove the finalizer; or wait: the operator gives up after an hour",
    }),
    pool({
      when: "`reclaimPolicy` is Retain",
      shows: "Event Retained",
      names: [A, "ips", "flipop orphans"],
      seen: leftInAccount,
      fix: "Write the address into `ips` of a pool, or release it with `flipop orphans --release`",
    }),
  ],
};

const RULE = { protocol: "tcp", ports: "443", sources: ["0.0.0.0/0"], phase: "present" } as const;

/** Its namespace is being deleted with the Service, and the cloud rejects the token of its issuer. */
function waitingDeletion(): Seen {
  return routedSeen(
    {
      spec: { routedIP: IP },
      change: ({ firewall, routed: { metadata, ...rest } }) => ({
        ...(firewall && { firewall: { ...firewall, facts: "unknown" } }),
        providerFailure: refusedToken("entry token of Secret default/do"),
        routed: {
          ...rest,
          metadata: { ...metadata, finalizers: [Finalizer.cleanup], deletionTimestamp: "2025-06-01T09:59:00Z" },
          status: { ...rest.status, firewallRules: [RULE], firewall: { name: "ingress", nodes: [] } },
        },
      }),
    },
    "Accepted",
  );
}

export const WARNINGS: readonly Group[] = [SERVES, DELETION];
