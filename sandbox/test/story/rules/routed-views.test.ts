import { expect } from "chai";
import { describe, it } from "mocha";
import { type RoutedCluster, routedViews } from "../../../src/story/rules/routed-views.js";
import type { NodeObject, PodObject } from "../../../src/story/rules/serving-nodes.js";

const READY = { conditions: [{ type: "Ready", status: "True" }] };

function node(name: string, more: Partial<NodeObject["spec"]> = {}): NodeObject {
  return { metadata: { name }, spec: more, status: READY };
}

function pod(nodeName: string, more: { readonly leaves?: boolean; readonly ready?: boolean } = {}): PodObject {
  const { leaves = false, ready = true } = more;
  const ports = [
    { name: "sip", containerPort: 5060, hostPort: 50_600, protocol: "UDP" },
    { containerPort: 9090, hostPort: 9090, protocol: "TCP" },
  ];
  const end = leaves ? { deletionTimestamp: "2025-01-01T00:00:00Z" } : {};
  return {
    metadata: { name: `pod-${nodeName}`, namespace: "voice", labels: { app: "gateway" }, ...end },
    spec: { nodeName, containers: [{ ports }] },
    status: ready ? READY : {},
  };
}

function cluster(more: Partial<RoutedCluster>): RoutedCluster {
  const metadata = { name: "gateway", namespace: "voice" };
  return {
    routed: [
      {
        metadata,
        spec: { issuerRef: { name: "do" }, serviceRef: { serviceName: "gateway" }, gracePeriodSeconds: 15 },
        status: { routedIP: "192.0.2.1" },
      },
    ],
    issuers: [
      {
        metadata: { name: "do", namespace: "voice" },
        spec: { provider: "digitalocean", region: "nyc3", routedIPFirewallName: "fw" },
      },
    ],
    services: [{ metadata, spec: { selector: { app: "gateway" }, ports: [{ port: 5060, targetPort: "sip" }] } }],
    nodes: [node("a"), node("b"), node("c", { unschedulable: true }), node("d")],
    pods: [],
    ...more,
  };
}

describe("what a story knows of a RoutedIP", () => {
  it("is served where a pod answers, and may go where one stays", () => {
    const pods = [pod("a"), pod("b", { leaves: true }), pod("c"), pod("d", { ready: false })];
    const [view] = routedViews(cluster({ pods }));
    expect(view?.pool).to.equal("RoutedIP voice/gateway");
    expect([...(view?.serving ?? [])]).to.deep.equal(["a", "b", "c"]);
    expect([...(view?.eligible ?? [])]).to.deep.equal(["a"]);
    expect(view).to.deep.include({ ips: ["192.0.2.1"], entitled: 1, noticeMs: 27_000 });
  });

  it("needs the hostPorts behind the Service open, and no others", () => {
    const [view] = routedViews(cluster({ pods: [pod("a"), pod("b")] }));
    expect(view?.firewall).to.deep.equal({ name: "fw", rules: ["udp 50600"] });
    const { metadata } = pod("c");
    const ports = [{ name: "sip", containerPort: 5060, hostPort: 50_601, protocol: "UDP" }];
    const waiting: PodObject = { metadata, spec: { containers: [{ ports }] }, status: {} };
    const [same] = routedViews(cluster({ pods: [pod("a"), waiting] }));
    expect(same?.firewall?.rules, "a pod without a node has no port").to.deep.equal(["udp 50600"]);
    const [without] = routedViews(cluster({ issuers: [] }));
    expect(without).to.not.have.property("firewall");
  });

  it("is nowhere without its Service", () => {
    const [view] = routedViews(cluster({ services: [], pods: [pod("a")] }));
    expect([view?.serving.size, view?.eligible.size, view?.firewall?.rules]).to.deep.equal([0, 0, []]);
  });
});
