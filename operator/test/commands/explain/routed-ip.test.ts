import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { firewallRemarks } from "../../../src/messages/firewall-remarks.js";
import { cells, explainedCluster } from "./explained-cluster.js";

describe("flipop explain routedip", () => {
  const shared = explainedCluster();

  it("explains a RoutedIP by the endpoints of its Service, and says why no node can serve it", async () => {
    const metadata = { name: "game", namespace: "games" };
    shared.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "games" } });
    shared.kubernetes.create({
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": "game" } },
      endpoints: [{ addresses: ["10.0.0.1"], nodeName: "node-3", conditions: { ready: true } }],
    });
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata },
      spec: { className: "fast", serviceRef: { serviceName: "game" } },
    });
    const { out, err } = await shared.flipop.run("explain", "routedip/game", "-n", "games");
    expect(err).to.equal("");
    expect(out).to.include("no node can serve it: ").and.to.include("fast");
    expect(out).to.match(/no node can serve it: .*Service.*games\/game/);
    expect(cells(out).get("node-3")?.[1]).to.equal("candidate");
    expect(cells(out).has("node-7")).to.equal(false);
  });

  it("shows whom the firewall lets in, or that the issuer names none, and on a line of its own what to do", async () => {
    const seen = { lastTransitionTime: "2026-01-31T12:00:00Z", observedGeneration: 1 };
    const explained = async (reason: string, message: string) => {
      shared.kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name: "open", namespace: "games" } },
        spec: { className: "fast", serviceRef: { serviceName: "open" } },
        status: { conditions: [{ ...seen, type: "FirewallReady", status: "True", reason, message }] },
      });
      const { out } = await shared.flipop.run("explain", "routedip/open", "-n", "games");
      shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "RoutedIP", name: "open", namespace: "games" });
      return out;
    };
    const some = firewallRemarks.openForSome({ name: "f", ports: ["udp 5060"], sources: ["::/64"], service: "a/b" });
    const ranges = "loadBalancerSourceRanges of Service a/b";
    expect(await explained(some.reason, some.message)).to.include(
      `\n  FirewallReady=True RestrictedSources: firewall "f" lets udp 5060 through from ::/64 only (${ranges})\n`,
    );
    const none = firewallRemarks.notNamed({ issuer: "platform/cloud" });
    expect(await explained(none.reason, none.message)).to.include(
      `\n  FirewallReady=True NoFirewall: ${none.message.replace("; fix: ", "\n    fix: ")}\n`,
    );
  });

  it("says of a RoutedIP that is being deleted what the deletion waits for, and not what it would need to serve", async () => {
    const gone = { apiVersion: GROUP_VERSION, kind: "RoutedIP", name: "gone", namespace: "games" };
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP" },
      metadata: { name: "gone", namespace: "games", finalizers: ["flipop.digitalocean.com/cleanup"] },
      spec: { className: "fast", serviceRef: { serviceName: "gone" } },
    });
    shared.kubernetes.delete(gone);
    const { out } = await shared.flipop.run("explain", "routedip/gone", "-n", "games");
    shared.kubernetes.change(gone, (object) => ({
      ...object,
      metadata: { ...(object["metadata"] as object), finalizers: [] },
    }));
    expect(out).to.include("its deletion began at ").and.to.include("until the operator has cleaned up");
    expect(out).to.not.include("no node can serve it");
  });

  it("says of each node without a ready endpoint which pods of the Service are there", async () => {
    const namespace = "shop";
    shared.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const pod = (name: string, nodeName: string | undefined, status: object) =>
      shared.kubernetes.create({
        ...{ apiVersion: "v1", kind: "Pod" },
        metadata: { name, namespace, labels: { app: "shop" } },
        spec: { ...(nodeName && { nodeName }), containers: [{ name: "shop", image: "shop" }] },
        status,
      });
    const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    shared.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Service", metadata: { name: "shop", namespace } },
      spec: { selector: { app: "shop" }, ports: [{ port: 443 }] },
    });
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name: "shop", namespace } },
      spec: { className: "fast", serviceRef: { serviceName: "shop" } },
    });
    const explained = async (...more: readonly string[]) =>
      (await shared.flipop.run("explain", "routedip/shop", "-n", namespace, ...more)).out;
    pod("shop-0", undefined, { phase: "Pending" });
    expect(await explained()).to.include(
      "lack an endpoint of Service shop/shop (pod shop/shop-0 is Pending, and on no node yet)",
    );
    shared.kubernetes.create({
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: { name: "shop", namespace, labels: { "kubernetes.io/service-name": "shop" } },
      endpoints: [{ addresses: ["10.0.0.1"], nodeName: "node-7", conditions: { ready: false } }],
    });
    pod("shop-7", "node-7", { phase: "Running" });
    pod("shop-3", "node-3", ready);
    shared.kubernetes.create({
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: { name: "old", namespace, labels: { "kubernetes.io/service-name": "shop" } },
      endpoints: [
        { addresses: ["10.0.0.2"], nodeName: "far", conditions: { ready: true } },
        {
          ...{ addresses: ["10.0.0.3"], nodeName: "db-1", conditions: { ready: true } },
          targetRef: { kind: "Pod", name: "shop-2", namespace },
        },
      ],
    });
    pod("shop-2", "db-1", ready);
    const rows = cells(await explained());
    expect(rows.get("far")?.[3]).to.equal("(an endpoint without a pod (EndpointSlice shop/old))");
    expect(rows.get("db-1")?.[3]).to.equal("(shop/shop-2 is ready)");
    expect(rows.get("node-7")?.[3]).to.equal(
      "PodNotReady: its endpoints of Service shop/shop are not ready (pod shop/shop-7 is not ready)",
    );
    expect(rows.get("node-3")?.[3]).to.equal(
      "NoPod: it has no endpoint of Service shop/shop (pod shop/shop-3 is ready)",
    );
    expect(rows.has("node-1"), "no pod there").to.equal(false);
    expect(await explained("node-1")).to.include(
      "it has no endpoint of Service shop/shop (no pod of the Service is on it)",
    );
  });

  it("shows what is there instead of the pods that the selector of the Service asks for", async () => {
    const namespace = "track";
    shared.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    shared.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod", spec: { nodeName: "node-3", containers: [{ name: "a", image: "a" }] } },
      metadata: { name: "a", namespace, labels: { app: "shop", track: "canary" } },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
    shared.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Service", metadata: { name: "shop", namespace } },
      spec: { selector: { app: "shop", track: "stable" }, ports: [{ port: 443 }] },
    });
    shared.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name: "shop", namespace } },
      spec: { className: "fast", serviceRef: { serviceName: "shop" } },
    });
    const workload = (name: string, replicas: number, status: object = {}) =>
      shared.kubernetes.create({
        ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace }, status },
        spec: { replicas, template: { metadata: { labels: { app: "shop", track: "stable" } } } },
      });
    workload("shop", 0);
    const message = 'pods "db-" is forbidden: exceeded quota';
    workload("db", 2, {
      conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }],
    });
    const { out } = await shared.flipop.run("explain", "routedip/shop", "-n", namespace);
    expect(out).to.include(
      "\n  Deployment track/shop, which makes such pods, has 0 replicas: kubectl -n track scale deployment shop --replicas=1 starts one\n",
    );
    expect(out).to.include(
      `\n  Deployment track/db, which makes such pods, cannot start one: FailedCreate (${message})\n`,
    );
    const field = "the selector of Service track/shop";
    expect(out).to.include(
      `1 ready pod on node-3 has all labels of ${field} but track (it has canary): if it is meant, take track out of ${field}, or correct its value`,
    );
  });
});
