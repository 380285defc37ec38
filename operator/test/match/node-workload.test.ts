import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { POD_INDEXES, type PodIndex } from "../../src/kube/cache/pods.js";
import type { SlimPod } from "../../src/kube/cache/slim-objects.js";
import { Store } from "../../src/kube/cache/store.js";
import { mistakenPorts, nodesOfPodEvent, PodWorkload } from "../../src/match/node-workload.js";
import { slimPod } from "../support/kube/objects.js";
import { compiled } from "./cluster.js";

const GRACE_END = "2025-01-01T02:00:00Z";

describe("the workload of a match", () => {
  let pods: Store<SlimPod, PodIndex>;
  beforeEach(() => {
    pods = new Store({ indexes: POD_INDEXES });
  });
  function workload(match: object = { podNamespace: "default", podLabel: "app=web,weight>3" }) {
    const wanted = compiled(match).pods;
    if (wanted === undefined) throw new Error("the match asks for no pods");
    return new PodWorkload(pods, wanted);
  }
  const web = { labels: { app: "web", weight: "5" }, nodeName: "n" };

  it("serves with one pod that is Running, Ready and here to stay", () => {
    pods.upsert(slimPod("a", { ...web, ready: false }));
    pods.upsert(slimPod("b", web));
    expect(workload().on("n")).to.deep.equal({ state: "serving" });
  });

  it("opens a port of a node by a hostPort that other machines reach, or by hostNetwork", () => {
    const port = { protocol: "TCP", containerPort: 80, hostPort: 80 };
    pods.upsert(slimPod("none", { ...web, nodeName: "closed" }));
    pods.upsert(slimPod("local", { ...web, nodeName: "local", hostPorts: [{ ...port, loopback: "127.0.0.1" }] }));
    pods.upsert(slimPod("idle", { ...web, nodeName: "idle", ready: false, hostPorts: [port] }));
    const nodes = ["local", "idle", "closed", "open", "shared"];
    const portless = (...names: readonly string[]) =>
      mistakenPorts(
        names,
        nodes.map((name) => ({ name })),
        workload(),
      );
    const local = { ...port, loopback: "127.0.0.1" };
    expect(portless(...nodes), "no other machine reaches it").to.deep.equal({ nodes: ["local"], local });
    expect(portless("closed"), "all are alike").to.equal(undefined);
    pods.upsert(slimPod("open", { ...web, nodeName: "open", hostPorts: [port, local] }));
    pods.upsert(slimPod("shared", { ...web, nodeName: "shared", hostNetwork: true, hostPorts: [local] }));
    expect(portless("closed", "idle", "open", "shared")).to.deep.equal({ nodes: ["closed"] });
  });

  const idle: readonly (readonly [Partial<SlimPod>, string])[] = [
    [{ ready: false }, "pod default/a is not ready"],
    [{ phase: "Pending", ready: false }, "pod default/a is Pending"],
    [{ phase: "Succeeded" }, "pod default/a has ended (Succeeded)"],
    [{ phase: "Failed", ready: false }, "pod default/a has ended (Failed)"],
    [{ deletionTimestamp: GRACE_END }, `pod default/a is being deleted (grace period until ${GRACE_END})`],
    [
      { deletionTimestamp: GRACE_END, finalizers: ["example.com/drain"] },
      `pod default/a is being deleted (grace period until ${GRACE_END}; finalizer example.com/drain)`,
    ],
  ];
  for (const [more, detail] of idle) {
    it(`is unready where ${detail}`, () => {
      pods.upsert(slimPod("a", { ...web, ...more }));
      const deleting = more.deletionTimestamp === undefined ? {} : { ending: { finalizers: more.finalizers ?? [] } };
      const ending = detail.includes("has ended") ? { ending: { ended: true } } : deleting;
      expect(workload().on("n")).to.deep.equal({ state: "unready", detail, pod: "default/a", ...ending });
    });
  }

  it("names the pods that serve in one order, whichever came first", () => {
    for (const name of ["b", "a"]) pods.upsert(slimPod(name, web));
    pods.upsert(slimPod("c", { ...web, ready: false }));
    expect(workload().servingOn("n")).to.deep.equal(["default/a", "default/b"]);
  });

  it("names the pod that stays before one that ends", () => {
    pods.upsert(slimPod("a", { ...web, deletionTimestamp: "2025-01-01T00:00:00Z" }));
    pods.upsert(slimPod("b", { ...web, ready: false }));
    expect(workload().on("n")).to.deep.equal({
      state: "unready",
      ...{ detail: "pod default/b is not ready", pod: "default/b" },
    });
  });

  it("names the same unready pod, whichever changed last", () => {
    for (const name of ["b", "a"]) pods.upsert(slimPod(name, { ...web, ready: false }));
    pods.upsert(slimPod("a", { ...web, ready: false, phase: "Pending" }));
    expect(workload().on("n")).to.deep.include({ detail: "pod default/a is Pending" });
  });

  it("passes over pods of other namespaces, labels and nodes", () => {
    pods.upsert(slimPod("a", { ...web, namespace: "other" }));
    pods.upsert(slimPod("b", { ...web, labels: { app: "web", weight: "2" } }));
    pods.upsert(slimPod("c", { ...web, nodeName: "m" }));
    expect(workload().on("n")).to.deep.equal({
      state: "absent",
      detail: "it runs no pod of namespace default with app=web,weight>3",
    });
    expect([...workload().nodes()]).to.deep.equal(["m"]);
  });

  it("takes every pod of a namespace, or every pod with a label", () => {
    pods.upsert(slimPod("a", { nodeName: "n" }));
    expect(workload({ podNamespace: "default" }).on("n").state).to.equal("serving");
    pods.upsert(slimPod("b", { namespace: "far", labels: { app: "web" }, nodeName: "m" }));
    expect(workload({ podLabel: "app=web" }).on("m").state).to.equal("serving");
  });

  it("is touched by a pod event on the pod's node alone", () => {
    const pod = slimPod("a", web);
    expect(nodesOfPodEvent({ type: "updated", object: pod, old: slimPod("a") })).to.deep.equal(["n"]);
    expect(nodesOfPodEvent({ type: "updated", object: pod, old: slimPod("a", { nodeName: "m" }) })).to.deep.equal([
      "n",
      "m",
    ]);
    expect(nodesOfPodEvent({ type: "added", object: slimPod("a") })).to.deep.equal([]);
  });
});
