import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { until } from "flipop-operator/testing/until";
import { afterEach, describe, it } from "mocha";
import { at, listOf, textOf } from "../../../src/kubernetes/json.js";
import { playCluster } from "../../../src/story/acts/cluster-acts.js";
import { StoryClock } from "../../../src/story/clock.js";
import { Workloads } from "../../../src/story/controllers/workloads.js";
import { readScenario } from "../../../src/story/scenario/read-scenario.js";
import { Stage } from "../../../src/story/stage.js";

const SCENARIO = `
title: t
nodes: [{ name: edge, count: 4 }]
acts:
  - title: a
    steps:
      - apply:
          - { apiVersion: v1, kind: Service, metadata: { name: web, namespace: default },
              spec: { selector: { app: web }, ports: [{ port: 80, targetPort: http }] } }
          - apiVersion: apps/v1
            kind: Deployment
            metadata: { name: web, namespace: default }
            spec:
              replicas: 2
              selector: { matchLabels: { app: web } }
              template:
                metadata: { labels: { app: web } }
                spec:
                  terminationGracePeriodSeconds: 30
                  containers:
                    - { name: web, image: web, ports: [{ name: http, containerPort: 8080, hostPort: 80 }] }
      - rollout: Deployment default/web
`;

interface Seen {
  readonly node: string;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

describe("workloads of a story", () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  async function rig() {
    const clock = new StoryClock({ start: Date.now(), speed: 600 });
    const scenario = readScenario({ name: "t.yaml", text: SCENARIO, readFile: () => "" });
    const stage = await Stage.set({ scenario, clock, port: 0, logger: silentLogger });
    const { kubernetes } = stage.world;
    const workloads = new Workloads(kubernetes, clock);
    ends.push(async () => {
      workloads.stop();
      await stage.close();
      clock.stop();
    });
    const slice = () => kubernetes.list("discovery.k8s.io/v1", "EndpointSlice")[0];
    const endpoints = () =>
      listOf(slice()?.["endpoints"]).map((one): Seen => {
        const flag = (name: string) => at(one, "conditions", name) === true;
        const [ready, serving, terminating] = ["ready", "serving", "terminating"].map(flag);
        return { node: textOf(at(one, "nodeName")), ready: !!ready, serving: !!serving, terminating: !!terminating };
      });
    const history: (readonly Seen[])[] = [];
    clock.onStep(() => {
      const now = endpoints();
      if (JSON.stringify(now) !== JSON.stringify(history.at(-1))) history.push(now);
    });
    clock.run();
    const play = (index: number) => {
      const step = scenario.acts[0]?.steps[index];
      if (step?.do === "apply" || step?.do === "rollout") playCluster(stage, step);
    };
    play(0);
    const isUp = () => endpoints().filter(({ ready }) => ready).length === 2;
    await until("both pods are ready", isUp, 30_000);
    return { kubernetes, clock, workloads, slice, endpoints, history, play };
  }

  it("give a Service its slice, with a port by name", async () => {
    const { kubernetes, slice, endpoints } = await rig();
    expect(slice()).to.deep.include({ ports: [{ name: "", protocol: "TCP", port: 8080 }], addressType: "IPv4" });
    expect(endpoints().map(({ ready, serving, terminating }) => [ready, serving, terminating])).to.deep.equal([
      [true, true, false],
      [true, true, false],
    ]);
    kubernetes.delete({ apiVersion: "v1", kind: "Service", name: "web", namespace: "default" });
    expect(slice()).to.equal(undefined);
  });

  it("update one pod after the other: never fewer ready than wanted, and no two with one hostPort on a node", async () => {
    const { clock, endpoints, history, play } = await rig();
    const before = endpoints().map(({ node }) => node);
    history.splice(0);
    play(1);
    await clock.sleep(120_000);
    const after = endpoints().map(({ node }) => node);
    expect(after).to.have.length(2);
    expect(after.filter((node) => before.includes(node))).to.deep.equal([]);
    for (const seen of history) {
      expect(seen.filter(({ ready }) => ready).length, JSON.stringify(seen)).to.be.at.least(2);
      expect(new Set(seen.map(({ node }) => node)).size, JSON.stringify(seen)).to.equal(seen.length);
    }
    const leaving = history.flat().filter(({ terminating }) => terminating);
    expect(new Set(leaving.map(({ node }) => node))).to.deep.equal(new Set(before));
    expect(leaving.every(({ ready, serving }) => serving && !ready)).to.equal(true);
  });

  it("have a status that counts their pods, and add and end pods when they are scaled", async () => {
    const { kubernetes, clock, endpoints } = await rig();
    const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "default" };
    const scale = (replicas: number) =>
      kubernetes.change(ref, (object) => ({ ...object, spec: { ...(object["spec"] as object), replicas } }));
    const status = () => kubernetes.get(ref)?.["status"];
    expect(status()).to.deep.include({ replicas: 2, updatedReplicas: 2, readyReplicas: 2, unavailableReplicas: 0 });
    scale(5);
    await clock.sleep(60_000);
    expect(status()).to.deep.include({ observedGeneration: 2, replicas: 5, readyReplicas: 4, unavailableReplicas: 1 });
    expect(conditionsOf(status())).to.deep.equal(["Available=False", "Progressing=True"]);
    scale(1);
    await clock.sleep(120_000);
    expect(status()).to.deep.include({ observedGeneration: 3, replicas: 1, readyReplicas: 1, unavailableReplicas: 0 });
    expect(conditionsOf(status())).to.deep.equal(["Available=True", "Progressing=True"]);
    expect(endpoints()).to.have.length(1);
  });

  it("of a DaemonSet get a new template one after the other, unless its strategy is OnDelete", async () => {
    const { kubernetes, clock, workloads } = await rig();
    const ref = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", namespace: "default" };
    kubernetes.create(daemonSet("agent", {}));
    const status = () => kubernetes.get(ref)?.["status"];
    const agents = () => kubernetes.list("v1", "Pod").filter(({ metadata }) => metadata.labels?.["app"] === "agent");
    const isReady = (pod: object) =>
      listOf(at(pod, "status", "conditions")).some(
        (one) => at(one, "type") === "Ready" && at(one, "status") === "True",
      );
    const change = (edit: object) =>
      kubernetes.change(ref, (object) => ({ ...object, spec: { ...(object["spec"] as object), ...edit } }));
    workloads.sync(true);
    await clock.sleep(10_000);
    expect(status()).to.deep.include({ desiredNumberScheduled: 4, numberReady: 4, updatedNumberScheduled: 4 });
    const template = (image: string) => ({
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { terminationGracePeriodSeconds: 5, containers: [{ name: "main", image }] },
      },
    });
    let fewest = 4;
    clock.onStep(() => {
      fewest = Math.min(fewest, agents().filter(isReady).length);
    });
    change(template("second"));
    await clock.sleep(200_000);
    expect(status()).to.deep.include({ numberReady: 4, updatedNumberScheduled: 4 });
    expect(fewest, "one at a time").to.equal(3);
    change({ ...template("third"), updateStrategy: { type: "OnDelete" } });
    await clock.sleep(200_000);
    expect(status()).to.deep.include({ numberReady: 4, numberUnavailable: 0 });
    expect(at(status(), "updatedNumberScheduled")).to.equal(0);
  });

  it("let pods of a drained node serve until their grace is over, those that kubectl deletes too", async () => {
    const { kubernetes, clock, workloads, endpoints } = await rig();
    const [first = "", second = ""] = endpoints().map(({ node }) => node);
    const seen = (node: string) => endpoints().find((one) => one.node === node);
    workloads.drain(first);
    const pod = kubernetes.list("v1", "Pod").find(({ spec }) => at(spec, "nodeName") === second);
    kubernetes.delete({ apiVersion: "v1", kind: "Pod", name: pod?.metadata.name ?? "", namespace: "default" }, 10);
    await clock.sleep(5_000);
    for (const node of [first, second]) expect(seen(node)).to.deep.include({ serving: true, terminating: true });
    await clock.sleep(10_000);
    expect([seen(first)?.serving, seen(second)]).to.deep.equal([true, undefined]);
    await clock.sleep(20_000);
    expect(endpoints().some(({ terminating }) => terminating)).to.equal(false);
    expect(endpoints()).to.have.length(2);
  });

  it("put no new pod on a node with a taint that the pod does not tolerate, and leave those that run there", async () => {
    const { kubernetes, workloads, endpoints } = await rig();
    const names = kubernetes.list("v1", "Node").map(({ metadata }) => metadata.name);
    const taint = (taints: readonly object[]) => {
      for (const name of names.slice(1)) {
        const ref = { apiVersion: "v1", kind: "Node", name };
        kubernetes.change(ref, (node) => ({ ...node, spec: { ...(node["spec"] as object), taints } }));
      }
      workloads.sync(true);
    };
    taint([{ key: "dedicated", value: "db", effect: "NoSchedule" }]);
    const tolerations = [{ key: "dedicated", operator: "Equal", value: "db" }];
    for (const [name, spec] of Object.entries({ plain: {}, tolerant: { tolerations } }))
      kubernetes.create(daemonSet(name, spec));
    workloads.sync(true);
    const nodesOf = (app: string) =>
      kubernetes
        .list("v1", "Pod")
        .filter(({ metadata }) => metadata.labels?.["app"] === app)
        .map(({ spec }) => textOf(at(spec, "nodeName")));
    expect(nodesOf("plain")).to.deep.equal(names.slice(0, 1));
    expect(nodesOf("tolerant")).to.have.members(names);
    expect(endpoints(), "those of the Deployment run on").to.have.length(2);
    taint([]);
    expect(nodesOf("plain")).to.have.members(names);
  });
});

function conditionsOf(status: unknown): readonly string[] {
  return listOf(at(status, "conditions")).map((one) => `${textOf(at(one, "type"))}=${textOf(at(one, "status"))}`);
}

function daemonSet(app: string, pod: object) {
  const labels = { app };
  const spec = { containers: [{ name: "main", image: "main" }], ...pod };
  return {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: app, namespace: "default" } },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}
