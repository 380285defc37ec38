import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import type { FaultRequest } from "flipop-sandbox/kubernetes";
import { afterEach, before, beforeEach, describe, it } from "mocha";
import { explainedCluster } from "./explained-cluster.js";

const [PROD, STAGING] = ["shop-prod", "shop-staging"] as const;
const APIS: Readonly<Record<string, string>> = {
  FloatingIPPool: GROUP_VERSION,
  NetworkPolicy: "networking.k8s.io/v1",
  EndpointSlice: "discovery.k8s.io/v1",
};

interface Given {
  readonly namespace?: string;
  readonly labels?: object;
  readonly [field: string]: unknown;
}

describe("flipop explain of what keeps clients from nodes that match", () => {
  const shared = explainedCluster();
  let made: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  }[] = [];

  const create = (kind: string, name: string, { namespace = PROD, labels = {}, ...content }: Given) => {
    const apiVersion = APIS[kind] ?? "v1";
    made.push({ apiVersion, kind, namespace, name });
    shared.kubernetes.create({ apiVersion, kind, metadata: { name, namespace, labels }, ...content });
  };
  const pod = (
    name: string,
    namespace: string,
    { ready = "True", ...spec }: Readonly<Record<string, unknown>> = {},
  ) => {
    const ports = [{ containerPort: 8443, hostPort: 443 }];
    create("Pod", name, {
      ...{ namespace, labels: { app: "web" } },
      spec: { nodeName: "edge-1", containers: [{ name: "web", image: "web", ports }], ...spec },
      status: { phase: "Running", conditions: [{ type: "Ready", status: ready }] },
    });
  };
  const pool = (match: object, spec: object = {}) => {
    create("FloatingIPPool", "web", {
      spec: { provider: "digitalocean", ips: ["203.0.113.21"], match: { nodeLabel: "pool=edge", ...match }, ...spec },
      status: { ips: { "203.0.113.21": { state: "active", nodeName: "edge-1" } } },
    });
  };
  const policy = (name: string, spec: object) =>
    create("NetworkPolicy", name, { spec: { podSelector: {}, policyTypes: ["Ingress"], ...spec } });
  const service = (spec: object) =>
    create("Service", "web", {
      spec: {
        ...{ type: "NodePort", externalTrafficPolicy: "Local", selector: { app: "web" } },
        ...{ ports: [{ port: 443, targetPort: 8443, nodePort: 30_443 }], ...spec },
      },
    });
  const slice = (nodeName: string, conditions: object) =>
    create("EndpointSlice", `web-${nodeName}`, {
      labels: { "kubernetes.io/service-name": "web" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], nodeName, conditions, targetRef: { kind: "Pod", name: "web" } }],
    });
  const explained = async () => {
    const { out, err, code } = await shared.flipop.run("explain", "pool/web", "-n", PROD);
    expect({ err: err.replace(/.*not considered.*\n/, ""), code }).to.deep.equal({ err: "", code: 0 });
    return out;
  };
  const refuse = (plural: string) =>
    shared.kubernetes.setFaults(({ target }: FaultRequest) =>
      target?.plural === plural && target.namespace === PROD ? { kind: "status", code: 403 } : undefined,
    );

  before(() => {
    for (const name of [PROD, STAGING])
      shared.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    shared.cluster.node("edge-1", { labels: { pool: "edge" } });
  });
  beforeEach(() => {
    made = [];
  });
  afterEach(() => {
    shared.kubernetes.setFaults(undefined);
    for (const each of made) shared.kubernetes.delete(each);
  });
  const WEB = { podNamespace: PROD, podLabel: "app=web" };

  describe("pods of another namespace that count", () => {
    const NOTE = `\n  pods of namespace ${STAGING} count, not those of the resource's own namespace ${PROD}, which have app=web, too\n    fix: if those are meant, set spec.match.podNamespace to ${PROD}\n`;

    it("are named if pods of the pool's own namespace have the labels, too", async () => {
      pool({ ...WEB, podNamespace: STAGING });
      pod("web-1", STAGING);
      pod("waits", PROD, { ready: "False" });
      expect(await explained(), "none there is ready").not.to.include("own namespace");
      pod("web-1", PROD);
      expect(await explained()).to.include(NOTE);
      refuse("pods");
      expect(await explained(), "refused").not.to.include("own namespace");
    });

    it("are not named if the match names the pool's own namespace", async () => {
      pool(WEB);
      pod("web-1", PROD);
      pod("web-1", STAGING);
      expect(await explained()).not.to.include("own namespace");
    });
  });

  describe("NetworkPolicies", () => {
    const FIX = "fix: add a NetworkPolicy that lets ipBlock 0.0.0.0/0 reach port 8443/TCP of it\n";
    const inside = [{ from: [{ namespaceSelector: { matchLabels: { app: "ingress" } } }] }];

    beforeEach(() => {
      pool(WEB);
      pod("web-1", PROD);
    });

    it("that select the pods and let no client from outside in are named", async () => {
      policy("other", { podSelector: { matchLabels: { app: "db" } } });
      policy("egress", { policyTypes: ["Egress"] });
      expect(await explained(), "they do not concern the pods").not.to.include("NetworkPolic");
      policy("deny", {});
      expect(await explained()).to.include(
        `\n  NetworkPolicy ${PROD}/deny selects pod ${PROD}/web-1, and no rule there lets clients from outside of the cluster reach it\n    ${FIX}`,
      );
      policy("allow-ingress", { podSelector: { matchLabels: { app: "web" } }, ingress: inside });
      expect(await explained()).to.include(
        `\n  NetworkPolicies ${PROD}/allow-ingress, ${PROD}/deny select pod ${PROD}/web-1, and no rule there lets`,
      );
    });

    it("are not named if one of them has a rule for clients from outside, nor if the user may not read them", async () => {
      policy("deny", {});
      refuse("networkpolicies");
      expect(await explained(), "refused").not.to.include("NetworkPolic");
      shared.kubernetes.setFaults(undefined);
      policy("anybody", { ingress: [...inside, {}] });
      expect(await explained(), "a rule without from").not.to.include("NetworkPolic");
      shared.kubernetes.delete(made.pop() ?? expect.fail());
      policy("block", { ingress: [{ from: [{ ipBlock: { cidr: "0.0.0.0/0" } }] }] });
      expect(await explained(), "an ipBlock").not.to.include("NetworkPolic");
    });

    it("do not apply to pods with the network of their node", async () => {
      shared.kubernetes.delete(made.pop() ?? expect.fail());
      pod("host", PROD, { hostNetwork: true });
      policy("deny", {});
      expect(await explained()).not.to.include("NetworkPolic");
    });
  });

  describe("a match that asks for no pod", () => {
    const LOCAL = `\n  Service ${PROD}/web (NodePort 30443) has externalTrafficPolicy Local and no ready pod on edge-1: edge-1 drops its packets\n    fix: if clients of the addresses use it, set spec.match.podNamespace to ${PROD} and spec.match.podLabel to app=web\n`;

    it("counts nodes whether or not they serve", async () => {
      pool({});
      expect(await explained()).to.include(
        "\n  match asks for no pod, so a node counts whether or not it serves\n    fix: to count only nodes that run a ready pod, set spec.match.podNamespace and spec.match.podLabel\n",
      );
    });

    it("leaves addresses on nodes where a Service with externalTrafficPolicy Local has no ready pod", async () => {
      pool({});
      service({});
      slice("node-1", { ready: true });
      expect(await explained()).to.include(LOCAL);
      refuse("endpointslices");
      expect(await explained(), "its endpoints are not known").not.to.include("externalTrafficPolicy");
      refuse("services");
      expect(await explained(), "refused").not.to.include("externalTrafficPolicy");
      shared.kubernetes.setFaults(undefined);
      slice("edge-1", { ready: false, serving: true, terminating: true });
      expect(await explained(), "a pod still serves there").not.to.include("externalTrafficPolicy");
    });

    it("does not concern Services that answer on each node, or on no port of a node", async () => {
      pool({});
      service({ externalTrafficPolicy: "Cluster" });
      expect(await explained()).not.to.include("externalTrafficPolicy");
      shared.kubernetes.delete(made.pop() ?? expect.fail());
      service({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 443 }] });
      expect(await explained(), "no node port").not.to.include("externalTrafficPolicy");
    });
  });
});
