import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, before, beforeEach, describe, it } from "mocha";
import { cells, explainedCluster } from "./explained-cluster.js";

const NAMESPACE = "game";
const HOSTNAME = "kubernetes.io/hostname";
const UNSCHEDULABLE =
  "0/9 nodes are available: 8 node(s) had untolerated taint {dedicated: db}, 1 Insufficient cpu. preemption: 0/9 nodes are available: 9 Preemption is not helpful for scheduling.";
const GATE =
  "let what sets this condition run, or remove readinessGates from the pod template (those of a running pod cannot change)";
const WHY = "0/9 nodes are available: 8 node(s) had untolerated taint {dedicated: db}, 1 Insufficient cpu";

describe("flipop explain of the pods that a resource asks for", () => {
  const shared = explainedCluster();
  let made: { readonly kind: string; readonly name: string }[] = [];

  const pod = (name: string, { labels = {}, status = {}, ...spec }: Record<string, object | string> = {}) => {
    made.push({ kind: "Pod", name });
    const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    shared.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name, namespace: NAMESPACE, labels: { app: "proxy", ...(labels as object) } },
      spec: { containers: [{ name: "proxy", image: "proxy" }], ...spec },
      status: { ...running, ...(status as object) },
    });
  };
  const waiting = (message: string) => ({
    ...{ phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] },
  });
  const pool = (match: object) => {
    made.push({ kind: "FloatingIPPool", name: "edge" });
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", metadata: { name: "edge", namespace: NAMESPACE } },
      spec: { provider: "digitalocean", desiredIPs: 1, match },
    });
  };
  const explained = async (name = "pool/edge", ...more: readonly string[]) =>
    (await shared.flipop.run("explain", name, "-n", NAMESPACE, ...more)).out;

  before(() => {
    shared.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
    for (const name of ["edge-1", "edge-2"]) shared.cluster.node(name, { labels: { pool: "edge", [HOSTNAME]: name } });
  });
  beforeEach(() => {
    made = [];
  });
  afterEach(() => {
    for (const { kind, name } of made) {
      const apiVersion = kind === "FloatingIPPool" ? GROUP_VERSION : "v1";
      shared.kubernetes.delete({ apiVersion, kind, namespace: NAMESPACE, name });
    }
  });
  const EDGE = { nodeLabel: "pool=edge", podNamespace: NAMESPACE, podLabel: "app=proxy" };

  it("shows that pods share a node while a node that has the label lacks one", async () => {
    pool(EDGE);
    pod("proxy-a", { nodeName: "edge-1" });
    expect(await explained(), "one pod").not.to.include("spread them");
    pod("proxy-b", { nodeName: "edge-1" });
    const out = await explained();
    expect(out).to.include(
      "\n  both pods run on edge-1, and edge-2 lacks one: spread them (topologySpreadConstraints, anti-affinity or a hostPort)\n",
    );
    expect(out).to.include("1 NoPod (edge-2: it runs no pod of namespace game with app=proxy; edge-1 runs 2 of them)");
    pod("proxy-c", { nodeName: "edge-2" });
    expect(await explained(), "none lacks one").not.to.include("spread them");
  });

  it("shows the nodeSelector or the node affinity that keeps the pods off a node", async () => {
    pool(EDGE);
    pod("proxy-a", { nodeName: "edge-1", nodeSelector: { [HOSTNAME]: "edge-1", pool: "edge" } });
    expect(await explained()).to.include(
      `\n  pod game/proxy-a cannot run on edge-2, which lacks one: nodeSelector ${HOSTNAME}=edge-1 keeps it off that node\n`,
    );
    const matchExpressions = [{ key: HOSTNAME, operator: "In", values: ["edge-1"] }];
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
    pod("proxy-b", { nodeName: "edge-1", affinity: { nodeAffinity } });
    expect(await explained()).to.include(
      `\n  both pods run on edge-1, and edge-2 lacks one: spread them (topologySpreadConstraints, anti-affinity or a hostPort), and change nodeSelector ${HOSTNAME}=edge-1 of game/proxy-a, node affinity of game/proxy-b, which keep them off edge-2\n`,
    );
  });

  it("shows ready pods that a selector misses by one label", async () => {
    const VERSION = "app.kubernetes.io/version";
    pool({ ...EDGE, podLabel: `app=proxy,${VERSION}=1.8.2` });
    pod("proxy-a", { nodeName: "edge-1", labels: { [VERSION]: "1.9.0" } });
    const one = `1 ready pod on edge-1 has all labels of spec.match.podLabel but ${VERSION} (it has 1.9.0): if it is meant, take ${VERSION} out of spec.match.podLabel, or correct its value`;
    expect(await explained()).to.include(`\n  ${one}\n`);
    pod("proxy-b", { nodeName: "edge-2" });
    pod("redis", { nodeName: "edge-2", labels: { app: "redis", [VERSION]: "1.8.2" } });
    const out = await explained();
    expect(out).to.include(`2 ready pods on edge-1, edge-2 have all labels of spec.match.podLabel but ${VERSION} (`);
    expect(out).to.include("(they have 1.9.0, no such label): if they are meant, take ");
    expect(out, "fewer").not.to.include("but app (");
    expect(out, "general advice").not.to.include("What to do:");
    pod("proxy-c", { nodeName: "edge-2", labels: { [VERSION]: "1.8.2" } });
    expect(await explained(), "one that counts serves").not.to.include("all labels of");
  });

  it("shows that a node which matches has the label that excludes it from load balancers", async () => {
    const EXCLUDE = "node.kubernetes.io/exclude-from-external-load-balancers";
    pool({ nodeLabel: "pool=edge" });
    expect(await explained()).not.to.include(EXCLUDE);
    shared.cluster.node("edge-3", { labels: { pool: "edge", [EXCLUDE]: "" } });
    expect(await explained()).to.include(
      `\n  edge-3 matches and has label ${EXCLUDE}, which the operator does not read: to exclude such nodes, add !${EXCLUDE} to spec.match.nodeLabel\n`,
    );
    shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "edge-3" });
  });

  it("shows the pods that are Pending, with what the scheduler says", async () => {
    pool(EDGE);
    pod("proxy-a", { nodeName: "edge-1" });
    pod("proxy-b", { status: waiting(UNSCHEDULABLE) });
    expect(await explained()).to.include(`\n  1 pod is Pending (game/proxy-b): ${WHY}\n`);
    pod("proxy-c", { status: waiting(UNSCHEDULABLE) });
    pod("proxy-d", { status: { phase: "Pending", conditions: [] } });
    const out = await explained();
    expect(out).to.include(`\n  2 pods are Pending (game/proxy-b, game/proxy-c): ${WHY}\n`);
    expect(out).to.include("\n  1 pod is Pending (game/proxy-d): the scheduler has not handled it yet\n");
    pod("other", { labels: { app: "other" }, status: waiting("no room") });
    expect(await explained(), "of the match only").not.to.include("no room");
  });

  it("says of a Pending pod that the taint that keeps it away is the operator's own", async () => {
    const [elected, waits] = [
      "flipop.digitalocean.com/routed-ip",
      "flipop.digitalocean.com/until-assigned-fip.game.edge",
    ];
    const taints = [elected, waits].map((key) => ({ key, effect: "NoSchedule" }));
    shared.cluster.node("edge-3", { labels: { pool: "edge" }, taints });
    pool(EDGE);
    const why = `0/3 nodes are available: 1 node(s) had untolerated taint {${elected}: }`;
    pod("proxy-a", { status: waiting(`${why}, 2 Insufficient cpu. preemption: 0/3.`) });
    expect(await explained()).to.include(
      `\n  1 pod is Pending (game/proxy-a): ${why}, 2 Insufficient cpu; the operator itself sets taint ${elected} (electedNodeTaint): give the pod a toleration for it (with operator: Exists)\n`,
    );
    shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "edge-3" });
  });

  it("shows a Pending pod of a DaemonSet at the node that it is for", async () => {
    pool(EDGE);
    const matchFields = [{ key: "metadata.name", operator: "In", values: ["edge-2"] }];
    const required = { nodeSelectorTerms: [{ matchFields }] };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
    pod("proxy-x", { affinity: { nodeAffinity }, status: waiting(UNSCHEDULABLE) });
    const out = await explained();
    expect(cells(out).get("edge-2")?.[3]).to.equal(
      `NoPod: it runs no pod of namespace game with app=proxy (pod game/proxy-x is for it, and Pending: ${WHY})`,
    );
    expect(cells(out).get("edge-1")?.[3]).to.equal("NoPod: it runs no pod of namespace game with app=proxy");
    expect(out).to.include(`\n  1 pod is Pending (game/proxy-x for edge-2): ${WHY}\n`);
    expect(await explained("node/edge-2"), "also for the node").to.include(
      `pod game/proxy-x is for it, and Pending: ${WHY}`,
    );
  });

  it("shows the Pending pods of a record set's match and of a RoutedIP's Service", async () => {
    pod("proxy-b", { status: waiting(UNSCHEDULABLE) });
    const metadata = { name: "edge", namespace: NAMESPACE };
    const make = (kind: string, spec: object, apiVersion: string = GROUP_VERSION) =>
      shared.kubernetes.create({ apiVersion, kind, metadata, spec });
    make("NodeDNSRecordSet", { dnsRecordSet: { zone: "example.com", recordName: "e" }, match: EDGE });
    make("Service", { selector: { app: "proxy" }, ports: [{ port: 443 }] }, "v1");
    make("RoutedIP", { className: "fast", serviceRef: { serviceName: "edge" } });
    for (const name of ["recordset/edge", "routedip/edge"]) {
      expect(await explained(name), name).to.include(`\n  1 pod is Pending (game/proxy-b): ${WHY}\n`);
    }
  });

  it("shows why a pod that runs is not ready, for a match and for a Service", async () => {
    const message = 'corresponding condition of pod readiness gate "example.com/lb" does not exist.';
    const unready = (reason: string, text: string) => ({
      status: { conditions: [{ type: "Ready", status: "False", reason, message: text }] },
    });
    pool(EDGE);
    pod("proxy-a", { nodeName: "edge-1", ...unready("ReadinessGatesNotReady", message) });
    pod("proxy-b", { nodeName: "edge-2", ...unready("ContainersNotReady", `[${"proxy ".repeat(100)}]`) });
    const out = await explained();
    expect(cells(out).get("edge-1")?.[3]).to.equal(
      `PodNotReady: pod game/proxy-a is not ready: ReadinessGatesNotReady (${message}); ${GATE}`,
    );
    expect(cells(out).get("edge-2")?.[3]).to.match(
      /proxy-b is not ready: ContainersNotReady \(\[proxy .{150,200}\.\.\.\)$/,
    );
    expect(out).to.match(/\n {2}PodNotReady +Repair the pod \(kubectl describe pod shows/);
    expect(out).not.to.include("finalizers");
    const metadata = { name: "gated", namespace: NAMESPACE };
    const make = (kind: string, spec: object, apiVersion: string = GROUP_VERSION) =>
      shared.kubernetes.create({ apiVersion, kind, metadata, ...spec });
    make("Service", { spec: { selector: { app: "proxy" }, ports: [{ port: 443 }] } }, "v1");
    make("RoutedIP", { spec: { className: "fast", serviceRef: { serviceName: "gated" } } });
    const endpoint = { addresses: ["10.0.0.1"], nodeName: "edge-1", conditions: { ready: false } };
    const slice = { metadata: { ...metadata, labels: { "kubernetes.io/service-name": "gated" } }, addressType: "IPv4" };
    make("EndpointSlice", { ...slice, endpoints: [endpoint] }, "discovery.k8s.io/v1");
    expect(cells(await explained("routedip/gated")).get("edge-1")?.[3]).to.equal(
      `PodNotReady: its endpoints of Service game/gated are not ready (pod game/proxy-a is not ready): ReadinessGatesNotReady (${message}); ${GATE}`,
    );
  });

  it("shows until when the grace period of a pod that is being deleted lasts, and names finalizers only if it has some", async () => {
    pool(EDGE);
    const ref = { apiVersion: "v1", kind: "Pod", namespace: NAMESPACE, name: "proxy-a" };
    const setFinalizers = (finalizers: readonly string[]) =>
      shared.kubernetes.change(ref, (object) => ({
        ...object,
        metadata: { ...(object["metadata"] as object), finalizers },
      }));
    pod("proxy-a", { nodeName: "edge-1" });
    const deleted = async (...finalizers: readonly string[]) => {
      setFinalizers(finalizers);
      shared.kubernetes.delete(ref, 7200);
      const out = await explained();
      setFinalizers([]);
      const end = shared.kubernetes.get(ref)?.metadata.deletionTimestamp ?? "none";
      return [cells(out).get("edge-1")?.[3]?.replace(end, "END"), /\n {2}PodNotReady +(.*)\n/.exec(out)?.[1]];
    };
    expect(await deleted()).to.deep.equal([
      "PodNotReady: pod game/proxy-a is being deleted (grace period until END)",
      "Wait until the pod has ended, which its grace period of 7200 s limits (kubectl delete pod --grace-period=30 shortens it; for later pods, lower terminationGracePeriodSeconds of the workload; if the pod stays longer, its kubelet does not end it).",
    ]);
    shared.kubernetes.delete(ref);
    pod("proxy-a", { nodeName: "edge-1" });
    const [seen, remedy] = await deleted("example.com/drain");
    expect(seen).to.include("(grace period until END; finalizer example.com/drain)");
    expect(remedy).to.match(/^Have what set finalizer example.com\/drain of the pod remove it: /);
  });

  it("counts the nodes as the operator's conditions do: a published node without its pod apart from those that lack one", async () => {
    const metadata = { name: "apart", namespace: NAMESPACE };
    const seen = { lastTransitionTime: "2026-01-31T12:00:00Z", observedGeneration: 1 };
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata },
      spec: {
        dnsRecordSet: { zone: "example.com", recordName: "a" },
        match: { podNamespace: NAMESPACE, podLabel: "app=none" },
      },
      status: {
        addresses: [{ address: "203.0.113.1", nodeName: "edge-1" }],
        conditions: [{ ...seen, type: "DNSReady", status: "True", reason: "Observed", message: "" }],
      },
    });
    const lines = (await explained("recordset/apart")).split("\n");
    expect(lines.find((line) => line.includes(" nodes match"))).to.match(
      /0 of (\d+) nodes match; \d+ lack a pod of namespace game with app=none \(no such pod exists\); 1 NoPod \(edge-1: it runs no pod/,
    );
  });

  it("says that the pods on the node of an address have no hostPort", async () => {
    const text =
      "the ready pods on node-1 have no hostPort: clients reach them there only by a NodePort or externalIPs";
    const pod = { apiVersion: "v1", kind: "Pod", namespace: "ingress", name: "web-node-1" };
    const explained = async () => (await shared.flipop.run("explain", "pool/web", "-n", "ingress")).out;
    expect(await explained()).to.include(text);
    shared.kubernetes.delete(pod);
    shared.cluster.pod("node-1", "True", [{ containerPort: 80, hostPort: 80, hostIP: "127.0.0.1" }]);
    expect(await explained()).to.include(
      "the ready pods on node-1 open hostPort 80 on hostIP 127.0.0.1 only, which no other machine reaches: clients reach",
    );
    shared.kubernetes.delete(pod);
    shared.cluster.pod("node-1", "True", [{ containerPort: 80, hostPort: 80 }]);
    expect(await explained()).not.to.include("hostPort");
    shared.kubernetes.delete(pod);
    shared.cluster.pod("node-1");
  });

  it("names the workloads whose pods count, if there are several", async () => {
    pool(EDGE);
    const daemon = { "controller-revision-hash": "5d9", "pod-template-generation": "1" };
    pod("proxy-7d4b9-aaaaa", { nodeName: "edge-1", labels: { "pod-template-hash": "7d4b9" } });
    pod("proxy-66666-bbbbb", { nodeName: "edge-2", labels: { "pod-template-hash": "66666" } });
    expect(await explained(), "a rollout is one workload").not.to.include("limits");
    pod("proxy-ddddd", { nodeName: "db-1", labels: daemon });
    expect(await explained(), "a node that lacks the label").not.to.include("limits");
    pod("proxy-ccccc", { nodeName: "edge-2", labels: daemon });
    expect(await explained()).to.include(
      "; pods of DaemonSet game/proxy, Deployment game/proxy count: podLabel of spec.match limits that to one\n",
    );
  });

  it("says that every pod of the namespace counts where match has no podLabel", async () => {
    pool({ nodeLabel: "pool=edge", podNamespace: NAMESPACE });
    expect(await explained()).to.include(
      "  asks for nodes with pool=edge that run a ready pod of namespace game (podLabel is absent: every pod of namespace game counts)\n",
    );
  });
});
