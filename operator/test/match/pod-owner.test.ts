import { expect } from "chai";
import { describe, it } from "mocha";
import { podOwner } from "../../src/match/pod-owner.js";
import { slimPod } from "../support/kube/objects.js";

describe("the workload that a pod belongs to", () => {
  const of = (name: string, labels: Readonly<Record<string, string>>) => podOwner(slimPod(name, { labels }));

  it("is the Deployment, whichever ReplicaSet of a rollout made the pod", () => {
    expect(of("proxy-blue-7d4b9-x2x4z", { "pod-template-hash": "7d4b9" })).to.equal("Deployment default/proxy-blue");
    expect(of("proxy-blue-66f6c-aaaaa", { "pod-template-hash": "66f6c" })).to.equal("Deployment default/proxy-blue");
  });

  it("is the DaemonSet, the StatefulSet, the Rollout, or the Job, and the runs of a CronJob are one", () => {
    const daemon = { "controller-revision-hash": "5d9", "pod-template-generation": "3" };
    expect(of("proxy-x2x4z", daemon)).to.equal("DaemonSet default/proxy");
    expect(of("db-12", { "statefulset.kubernetes.io/pod-name": "db-12" })).to.equal("StatefulSet default/db");
    expect(of("web-5f-x2x4z", { "rollouts-pod-template-hash": "5f" })).to.equal("Rollout default/web");
    expect(of("debug-x2x4z", { "job-name": "debug" })).to.equal("Job default/debug");
    expect(of("check-29000001-x2x4z", { "job-name": "check-29000001" })).to.equal("Job default/check");
  });

  it("has a name of one letter, too", () => {
    expect(of("p-7d4b9-x2x4z", { "pod-template-hash": "7d4b9" })).to.equal("Deployment default/p");
    expect(of("p-12", { "statefulset.kubernetes.io/pod-name": "p-12" })).to.equal("StatefulSet default/p");
  });

  it("is unknown where the pod's labels and name do not show it", () => {
    expect(of("proxy", {})).to.equal(undefined);
    expect(of("copied-by-hand", { "pod-template-hash": "7d4b9" })).to.equal(undefined);
    expect(of("db", { "statefulset.kubernetes.io/pod-name": "db-1" })).to.equal(undefined);
    expect(of("a-long-name-that-the-api-server-cut-7dx2x4z", { "pod-template-hash": "7d4b9" })).to.equal(undefined);
  });
});
