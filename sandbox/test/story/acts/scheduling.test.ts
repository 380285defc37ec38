import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { SeededRandom } from "../../../src/http/random.js";
import { type ApiObject, Emulator } from "../../../src/kubernetes/index.js";
import { at, listOf, objectOf, textOf } from "../../../src/kubernetes/json.js";
import { putNode } from "../../../src/nodes.js";
import { StoryClock } from "../../../src/story/clock.js";
import { Workloads } from "../../../src/story/controllers/workloads.js";

const HTTP = { containerPort: 8080, hostPort: 80 };
const NO_PORTS = "node(s) didn't have free ports for the requested pod ports";

type Port = typeof HTTP & { readonly protocol?: string; readonly hostIP?: string };

interface Wanted {
  readonly replicas?: number;
  readonly port?: Port;
  /** Of the pods. */
  readonly spec?: object;
}

describe("pods of a story that no node can take", () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  function rig(...nodes: readonly string[]) {
    const clock = new StoryClock({ start: Date.now(), speed: 600 });
    const kubernetes = new Emulator({ tls: false, clock });
    const workloads = new Workloads(kubernetes, clock);
    ends.push(() => {
      workloads.stop();
      clock.stop();
    });
    let id = 0;
    const addNode = (name: string) => {
      id++;
      putNode(kubernetes, { name }, { id, publicIp: `192.0.2.${id}`, privateIp: `10.0.0.${id}`, region: "nyc3" });
      workloads.sync(true);
    };
    for (const name of nodes) addNode(name);
    const podsOf = (app: string) =>
      kubernetes.list("v1", "Pod").filter(({ metadata }) => metadata.labels?.["app"] === app);
    return {
      ...{ kubernetes, clock, workloads, addNode, podsOf },
      apply: (kind: string, app: string, { replicas, port = HTTP, spec = {} }: Wanted = {}) => {
        const template = {
          metadata: { labels: { app } },
          spec: { containers: [{ name: "main", image: "i", ports: [port] }], ...spec },
        };
        const ref = { apiVersion: "apps/v1", kind, name: app, namespace: "default" };
        const full = { replicas, selector: { matchLabels: { app } }, template };
        if (kubernetes.get(ref) !== undefined) kubernetes.change(ref, (old) => ({ ...old, spec: full }));
        else
          kubernetes.create({ apiVersion: "apps/v1", kind, metadata: { name: app, namespace: "default" }, spec: full });
        workloads.sync(true);
      },
      changeNode: (name: string, edit: object) => {
        const ref = { apiVersion: "v1", kind: "Node", name };
        kubernetes.change(ref, (node) => ({ ...node, spec: { ...objectOf(node["spec"]), ...edit } }));
        workloads.sync(true);
      },
      /** Nodes of an app's pods; "" for one that waits. */
      nodesOf: (app: string) => podsOf(app).map(nodeOf).sort(),
      messages: (app: string) =>
        podsOf(app).flatMap((pod) => (nodeOf(pod) === "" ? [textOf(scheduled(pod)["message"])] : [])),
    };
  }

  it("wait as Pending pods that say why, and get a node as soon as one has the port free", async () => {
    const { kubernetes, clock, addNode, apply, podsOf, nodesOf } = rig("a", "b");
    const selector = { app: "web" };
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" } };
    kubernetes.create({ ...service, spec: { selector, ports: [{ port: 80 }] } });
    apply("Deployment", "web", { replicas: 3 });
    expect(nodesOf("web")).to.deep.equal(["", "a", "b"]);
    const [waits] = podsOf("web").filter((pod) => nodeOf(pod) === "");
    const message = `0/2 nodes are available: 2 ${NO_PORTS}.`;
    expect(waits?.["spec"]).to.not.have.property("nodeName");
    expect(waits?.["status"]).to.deep.equal({
      phase: "Pending",
      qosClass: "BestEffort",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    });
    const events = kubernetes.list("v1", "Event");
    expect(events).to.have.length(1);
    expect(events[0]).to.deep.include({ type: "Warning", reason: "FailedScheduling", message });
    expect(at(events[0], "involvedObject")).to.deep.include({ kind: "Pod", uid: waits?.metadata.uid });
    const slice = () => kubernetes.list("discovery.k8s.io/v1", "EndpointSlice")[0];
    expect(listOf(slice()?.["endpoints"])).to.have.length(2);

    addNode("c");
    expect(nodesOf("web")).to.deep.equal(["a", "b", "c"]);
    const bound = podsOf("web").find(({ metadata }) => metadata.uid === waits?.metadata.uid);
    expect([nodeOf(bound), at(bound, "status", "phase")]).to.deep.equal(["c", "Running"]);
    expect(scheduled(bound)).to.deep.equal({ type: "PodScheduled", status: "True" });
    clock.run();
    await clock.sleep(5_000);
    const ready = listOf(slice()?.["endpoints"]).filter((one) => at(one, "conditions", "ready") === true);
    expect(ready).to.have.length(3);
  });

  it("name the first reason of each node, as the scheduler does", async () => {
    const { kubernetes, clock, apply, changeNode, messages, nodesOf } = rig("a", "b", "c", "d", "e");
    for (const name of ["a", "b", "c", "d"])
      kubernetes.change({ apiVersion: "v1", kind: "Node", name }, ({ metadata, ...node }) => ({
        ...node,
        metadata: { ...objectOf(metadata), labels: { pool: "edge" } },
      }));
    apply("DaemonSet", "proxy", { spec: { nodeSelector: { pool: "edge" } } });
    changeNode("a", { unschedulable: true });
    changeNode("b", { taints: [{ key: "dedicated", effect: "NoSchedule" }] });
    apply("Deployment", "web", { spec: { nodeSelector: { pool: "edge" } } });
    expect(messages("web")).to.deep.equal([
      `0/5 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 ${NO_PORTS}.`,
    ]);
    kubernetes.delete({ apiVersion: "apps/v1", kind: "DaemonSet", name: "proxy", namespace: "default" });
    for (const name of ["c", "d"]) changeNode(name, { unschedulable: true });
    expect(messages("web")[0]).to.match(/ 3 node\(s\) were unschedulable\.$/);
    changeNode("a", { unschedulable: false });
    expect(nodesOf("web"), "the old pod has its port until it ends").to.deep.equal([""]);
    clock.run();
    await clock.sleep(40_000);
    expect(nodesOf("web")).to.deep.equal(["a"]);
    expect(kubernetes.list("v1", "Event"), "one for the pod").to.have.length(1);
  });

  it("are there without any node", () => {
    const { apply, messages } = rig();
    apply("Deployment", "web");
    expect(messages("web")).to.deep.equal(["no nodes available to schedule pods"]);
  });

  it("wait for the node that a DaemonSet chose, where only a port is taken", async () => {
    const { kubernetes, clock, apply, changeNode, podsOf, nodesOf, messages } = rig("a", "b", "c");
    apply("Deployment", "web", { replicas: 1 });
    const [taken = ""] = nodesOf("web");
    const [tainted = "", free = ""] = ["a", "b", "c"].filter((name) => name !== taken);
    changeNode(tainted, { taints: [{ key: "dedicated", effect: "NoSchedule" }] });
    apply("DaemonSet", "proxy");
    expect(nodesOf("proxy")).to.deep.equal(["", free]);
    expect(messages("proxy")).to.deep.equal([
      `0/3 nodes are available: 1 ${NO_PORTS}, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].`,
    ]);
    const waits = podsOf("proxy").find((pod) => nodeOf(pod) === "");
    const [term] = listOf(
      at(
        waits,
        "spec",
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
      ),
    );
    expect(term).to.deep.equal({ matchFields: [{ key: "metadata.name", operator: "In", values: [taken] }] });
    kubernetes.delete({ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "default" });
    changeNode(tainted, { taints: [] });
    clock.run();
    await clock.sleep(40_000);
    expect(nodesOf("proxy")).to.deep.equal(["a", "b", "c"]);
  });

  it("get the new template of a DaemonSet", () => {
    const { apply, nodesOf } = rig("a", "b");
    apply("Deployment", "web", { replicas: 1 });
    apply("DaemonSet", "proxy");
    const running = nodesOf("proxy").filter((node) => node !== "");
    expect(running).to.have.length(1);
    apply("DaemonSet", "proxy", { port: { containerPort: 8080, hostPort: 81 } });
    expect(nodesOf("proxy")).to.deep.equal(["a", "b"]);
  });

  it("leave with the node that a DaemonSet chose", () => {
    const { kubernetes, apply, nodesOf, workloads } = rig("a", "b");
    apply("Deployment", "web", { replicas: 2 });
    apply("DaemonSet", "proxy");
    expect(nodesOf("proxy")).to.deep.equal(["", ""]);
    kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "a" });
    workloads.sync(true);
    expect(nodesOf("proxy")).to.deep.equal([""]);
    expect(nodesOf("web")).to.deep.equal(["", "b"]);
  });

  it("share a node where protocol or hostIP differ, and only there", () => {
    const { kubernetes, apply, nodesOf } = rig("a");
    apply("Deployment", "tcp", { port: { ...HTTP, hostIP: "192.0.2.1" } });
    apply("Deployment", "udp", { port: { ...HTTP, protocol: "UDP" } });
    apply("Deployment", "other", { port: { ...HTTP, hostIP: "192.0.2.2" } });
    apply("Deployment", "same", { port: { ...HTTP, hostIP: "192.0.2.2" } });
    apply("DaemonSet", "every");
    apply("DaemonSet", "host", { port: { containerPort: 80, hostPort: 80 }, spec: { hostNetwork: true } });
    expect(["tcp", "udp", "other", "same", "every", "host"].map((app) => nodesOf(app)[0])).to.deep.equal([
      ...["a", "a", "a"],
      ...["", "", ""],
    ]);
    const containers = [{ name: "main", image: "i", ports: [{ containerPort: 443, hostPort: 443 }] }];
    const metadata = { name: "by-hand", namespace: "default" };
    kubernetes.create({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "a", containers } });
    apply("Deployment", "https", { port: { containerPort: 443, hostPort: 443 } });
    expect(nodesOf("https")).to.deep.equal([""]);
  });

  it("are the first to go when a Deployment gets fewer replicas, or a template that fits", async () => {
    const { clock, apply, nodesOf, podsOf } = rig("a", "b");
    apply("Deployment", "web", { replicas: 4 });
    expect(nodesOf("web")).to.deep.equal(["", "", "a", "b"]);
    apply("Deployment", "web", { replicas: 3 });
    expect(nodesOf("web")).to.deep.equal(["", "a", "b"]);
    clock.run();
    await clock.sleep(5_000);
    apply("Deployment", "web", { replicas: 2 });
    expect(nodesOf("web")).to.deep.equal(["a", "b"]);
    const spec = { nodeSelector: { pool: "none" } };
    apply("Deployment", "web", { replicas: 2, spec });
    expect(nodesOf("web"), "the update waits").to.deep.equal(["", "a", "b"]);
    apply("Deployment", "web", { replicas: 2, port: { containerPort: 8080, hostPort: 81 } });
    await clock.sleep(120_000);
    expect(nodesOf("web")).to.deep.equal(["a", "b"]);
    expect(podsOf("web").every((pod) => JSON.stringify(pod).includes('"hostPort":81'))).to.equal(true);
  });

  it("never come to a node with a pod that has the same hostPort, whatever happens", async () => {
    const { kubernetes, clock, workloads, addNode, apply, changeNode } = rig("n-0", "n-1", "n-2");
    const random = new SeededRandom(1);
    const below = (limit: number) => random.integer(0, limit - 1);
    const node = () => `n-${below(4)}`;
    const has = (name: string) => kubernetes.get({ apiVersion: "v1", kind: "Node", name }) !== undefined;
    const port = () => ({
      ...HTTP,
      protocol: ["TCP", "UDP"][below(2)] ?? "",
      hostIP: ["", "192.0.2.1"][below(2)] ?? "",
    });
    const deeds: readonly ((name: string) => void)[] = [
      () => apply("Deployment", `web-${below(3)}`, { replicas: below(5), port: port() }),
      () => apply("DaemonSet", `proxy-${below(2)}`, { port: port() }),
      (name) => (has(name) ? kubernetes.delete({ apiVersion: "v1", kind: "Node", name }) : addNode(name)),
      (name) => has(name) && changeNode(name, { unschedulable: below(2) === 0 }),
      (name) => workloads.drain(name),
    ];
    clock.run();
    let waited = 0;
    for (let step = 0; step < 60; step++) {
      deeds[below(deeds.length)]?.(node());
      workloads.sync(true);
      await clock.sleep(below(3) * 10_000);
      const pods = kubernetes.list("v1", "Pod");
      waited += pods.filter((pod) => nodeOf(pod) === "").length;
      const taken = pods.filter((pod) => nodeOf(pod) !== "").flatMap((pod) => placesOf(pod));
      expect(new Set(taken).size, `step ${step}: ${taken.join(", ")}`).to.equal(taken.length);
    }
    expect(waited).to.be.above(0);
  });
});

/** `n-1 UDP 192.0.2.1`; a pod on all addresses takes those of the test, too. */
function placesOf(pod: ApiObject): readonly string[] {
  const [port] = listOf(at(listOf(at(pod, "spec", "containers"))[0], "ports"));
  const ip = textOf(at(port, "hostIP"));
  const ips = ip === "" ? ["", "192.0.2.1"] : [ip];
  return ips.map((one) => `${nodeOf(pod)} ${textOf(at(port, "protocol"))} ${one}`);
}

function nodeOf(pod: ApiObject | undefined): string {
  return textOf(at(pod, "spec", "nodeName"));
}

function scheduled(pod: ApiObject | undefined) {
  const conditions = listOf(at(pod, "status", "conditions"));
  return objectOf(conditions.find((one) => at(one, "type") === "PodScheduled"));
}
