import { expect } from "chai";
import { describe, it } from "mocha";
import { Interner, slimNodes, slimPods, wholeObjects } from "../../../src/kube/cache/slim-objects.js";
import { jsonEqual, type KubeObject } from "../../../src/kube/objects.js";
import { rawPod } from "../../support/kube/objects.js";

const NODE: KubeObject = {
  metadata: {
    name: "n1",
    uid: "u1",
    resourceVersion: "7",
    labels: { zone: "a" },
    annotations: { "flipop.digitalocean.com/x": "1", "other.io/y": "2" },
    creationTimestamp: "2025-01-01T00:00:00Z",
  },
  spec: {
    providerID: "digitalocean://1",
    taints: [{ key: "k", effect: "NoSchedule", timeAdded: "2025-01-01T00:00:00Z" }],
  },
  status: {
    addresses: [{ type: "ExternalIP", address: "192.0.2.1" }],
    conditions: [
      { type: "Ready", status: "True", lastHeartbeatTime: "now", lastTransitionTime: "then", message: "ok" },
    ],
    nodeInfo: { kubeletVersion: "v1.35.4", osImage: "x" },
    images: [{ names: ["big"] }],
  },
};

describe("slim objects", () => {
  it("keeps of a node what decisions read", () => {
    expect(slimNodes(["flipop.digitalocean.com/"])(NODE)).to.deep.equal({
      uid: "u1",
      name: "n1",
      namespace: undefined,
      labels: { zone: "a" },
      annotations: { "flipop.digitalocean.com/x": "1" },
      providerID: "digitalocean://1",
      unschedulable: false,
      taints: [{ key: "k", effect: "NoSchedule", timeAdded: "2025-01-01T00:00:00Z" }],
      addresses: [{ type: "ExternalIP", address: "192.0.2.1" }],
      conditions: [{ type: "Ready", status: "True", reason: undefined, lastTransitionTime: "then" }],
      kubeletVersion: "v1.35.4",
      creationTimestamp: "2025-01-01T00:00:00Z",
      deletionTimestamp: undefined,
    });
  });

  it("sees no change in a heartbeat", () => {
    const slim = slimNodes([]);
    const beat = {
      ...NODE,
      metadata: { ...NODE.metadata, resourceVersion: "8" },
      status: {
        ...(NODE.status as object),
        conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "later", lastTransitionTime: "then" }],
      },
    };
    expect(jsonEqual(slim(NODE), slim(beat))).to.equal(true);
  });

  it("takes a node without spec and status", () => {
    const node = slimNodes([])({ metadata: { name: "n", uid: "u", resourceVersion: "1" } });
    expect(node).to.include({ unschedulable: false, taints: undefined, providerID: undefined });
    expect(node.addresses).to.deep.equal([]);
  });

  it("freezes in depth", () => {
    const node = slimNodes([])(NODE);
    for (const part of [
      node,
      node.labels,
      node.annotations,
      node.taints,
      node.taints?.[0],
      node.conditions,
      node.conditions[0],
      node.addresses,
      node.addresses[0],
    ]) {
      expect(Object.isFrozen(part)).to.equal(true);
    }
  });

  it("keeps of a pod what decisions read, and readiness as one bit", () => {
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }], podIP: "10.0.0.1" };
    const pod = slimPods()(rawPod("p", { labels: { app: "x" } }, { spec: { nodeName: "n1", containers: [] }, status }));
    expect(pod).to.deep.equal({
      uid: "uid-p",
      name: "p",
      namespace: "default",
      labels: { app: "x" },
      nodeName: "n1",
      phase: "Running",
      ready: true,
      deletionTimestamp: undefined,
      ip: "10.0.0.1",
    });
    expect(slimPods()(rawPod("p"))).to.include({ ready: false, phase: "Unknown", nodeName: undefined });
  });

  it("keeps the finalizers only of a pod that is being deleted", () => {
    const finalizers = ["example.com/drain"];
    const deletionTimestamp = "2025-01-01T02:00:00Z";
    const slim = (metadata: object) => slimPods()(rawPod("p", metadata));
    expect(slim({ finalizers, deletionTimestamp })).to.deep.include({ finalizers, deletionTimestamp });
    expect(slim({ finalizers })).not.to.have.property("finalizers");
    expect(slim({ deletionTimestamp })).not.to.have.property("finalizers");
  });

  it("keeps of a pod's ports those that are open on its node", () => {
    const ports = [{ name: "https", containerPort: 8443, hostPort: 443 }, { containerPort: 9090 }];
    const local = { containerPort: 53, hostPort: 53, protocol: "UDP", hostIP: "127.0.0.1" };
    const open = [local, { containerPort: 54, hostPort: 54, hostIP: "0.0.0.0" }];
    const sidecar = { restartPolicy: "Always", ports: open };
    // It has ended by the time that the pod serves.
    const setUp = { ports: [{ name: "https", containerPort: 8443, hostPort: 8443 }] };
    const spec = { hostNetwork: true, containers: [{ ports }, {}], initContainers: [sidecar, setUp] };
    expect(slimPods()(rawPod("p", {}, { spec }))).to.deep.include({
      hostPorts: [
        { name: "https", protocol: "TCP", containerPort: 8443, hostPort: 443 },
        { protocol: "UDP", containerPort: 53, hostPort: 53, loopback: "127.0.0.1" },
        { protocol: "TCP", containerPort: 54, hostPort: 54 },
      ],
      hostNetwork: true,
    });
  });

  it("shares equal label maps and strings between objects", () => {
    const slim = slimPods(new Interner());
    const parse = () =>
      slim(JSON.parse(JSON.stringify(rawPod("p", { labels: { app: "x", tier: "y" } }))) as KubeObject);
    expect(parse().labels).to.equal(parse().labels);
  });

  it("bounds what it shares", () => {
    const interner = new Interner(2);
    const first = interner.labels({ a: "1" });
    interner.labels({ a: "2" });
    interner.labels({ a: "3" });
    const again = interner.labels({ a: "1" });
    expect(again).to.deep.equal(first);
    expect(again === first).to.equal(false);
  });

  it("keeps an object of our own kinds whole, but for managedFields", () => {
    const raw = { apiVersion: "v1", ...rawPod("p"), spec: { ips: ["192.0.2.1"] } };
    const whole = wholeObjects()({
      ...raw,
      metadata: { ...raw.metadata, managedFields: [{}] } as KubeObject["metadata"],
    });
    expect(whole).to.include({ uid: "uid-p", name: "p", namespace: "default", resourceVersion: "1" });
    expect(whole.object).to.deep.equal(raw);
    expect(Object.isFrozen((whole.object.spec as { ips: string[] }).ips)).to.equal(true);
  });
});
