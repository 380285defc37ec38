import { expect } from "chai";
import { describe, it } from "mocha";
import { slimPods } from "../../src/kube/cache/slim-objects.js";
import { refusalsOf } from "../../src/match/checks.js";
import { PodWorkload, type Workload } from "../../src/match/node-workload.js";
import { slimPod } from "../support/kube/objects.js";
import { compiled, facts, readyCondition } from "./cluster.js";

const AT = "2025-06-01T10:00:00Z";
const LATER = "2025-06-01T10:00:30Z";

describe("since when a node is refused, by the cluster's own times", () => {
  const since = (more: Parameters<typeof facts>[1], workload?: Workload) =>
    refusalsOf({ node: facts("n", more), match: compiled({}), ...(workload === undefined ? {} : { workload }) }).map(
      (refusal) => refusal.since,
    );

  it("is the transition of its Ready condition", () => {
    const ready = { ...readyCondition("False"), lastTransitionTime: AT };
    expect(since({ conditions: [ready] })).to.deep.equal([Date.parse(AT)]);
    expect(since({ conditions: [] })).to.deep.equal([undefined]);
  });

  it("is the transition of the condition that a taint stands for", () => {
    const pressure = { type: "MemoryPressure", status: "True", reason: undefined, lastTransitionTime: LATER };
    const taints = [{ key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" }];
    expect(since({ taints, conditions: [readyCondition("True"), pressure] })).to.deep.equal([Date.parse(LATER)]);
    expect(since({ taints })).to.deep.equal([undefined]);
  });

  it("is when the last of its pods stopped being ready", () => {
    const wanted = { namespace: undefined, requirements: [], text: "pod" };
    const on = (...pods: ReturnType<typeof slimPod>[]) =>
      new PodWorkload({ byIndex: () => new Set(pods), list: () => pods.values() }, wanted as never).on("n");
    const pod = (name: string, unreadySince?: string) =>
      slimPod(name, { ready: false, ...(unreadySince === undefined ? {} : { unreadySince }) });
    expect(since({}, on(pod("a", LATER), pod("b", AT)))).to.deep.equal([Date.parse(LATER)]);
    expect(since({}, on(pod("a")))).to.deep.equal([undefined]);
  });

  it("is kept of a pod only while it is not ready", () => {
    const slim = (status: string) =>
      slimPods()({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "a", namespace: "default", uid: "u", resourceVersion: "1" },
        status: { phase: "Running", conditions: [{ type: "Ready", status, lastTransitionTime: AT }] },
      } as never);
    expect(slim("False")).to.include({ unreadySince: AT });
    expect(slim("True")).not.to.have.property("unreadySince");
  });
});
