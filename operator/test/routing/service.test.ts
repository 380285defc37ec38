import { Annotation, type ClusterRoutedIPClassSpec, type RoutedIPSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { EndpointWorkload, nodesOfSlices, SERVICE_LABEL, slimSlices } from "../../src/routing/endpoint-workload.js";
import { type PortPod, portsOf, rulesOf } from "../../src/routing/ports.js";
import { type LookUp, resolveClass } from "../../src/routing/resolved-class.js";
import { type ServiceFacts, serviceKeyOf, serviceProblem, slimServices } from "../../src/routing/service.js";
import { meta } from "../claims/resources.js";

function service(spec: object, annotations = {}): ServiceFacts {
  const whole = { selector: { app: "web" }, ports: [{ port: 80 }], clusterIP: "10.96.0.1", ...spec };
  return slimServices({ metadata: meta("web", 1, annotations), spec: whole });
}

function tcp(port: number, more: object = {}): object {
  return { port, protocol: "TCP", ...more };
}

const NODE = "n1";
const READY: PortPod = { nodeName: NODE, ready: true, deletionTimestamp: undefined };

function hostPort(containerPort: number, port: number, more: object = {}): PortPod {
  return { ...READY, hostPorts: [{ protocol: "TCP", containerPort, hostPort: port, ...more }] };
}

describe("the Service of a RoutedIP", () => {
  const problem = (found: ServiceFacts | undefined, namespace = "default") =>
    serviceProblem({ key: "default/web", namespace, service: found })?.reason;

  it("can be followed with selector, address and ports, or it is said why not", () => {
    const rows: readonly (readonly [ServiceFacts | undefined, string | undefined])[] = [
      [service({}), undefined],
      [service({ type: "NodePort" }), undefined],
      [undefined, "ServiceNotFound"],
      [service({ clusterIP: "None" }), "ServiceUnsuitable"],
      [service({ type: "ExternalName" }), "ServiceUnsuitable"],
      [service({ selector: undefined }), "ServiceUnsuitable"],
      [service({ selector: {} }), "ServiceUnsuitable"],
      [service({ ports: [] }), "ServiceUnsuitable"],
    ];
    for (const [found, reason] of rows) expect(problem(found)).to.equal(reason);
  });

  it("is read with the defaults of the API, and its sources in one order", () => {
    const made = service({ loadBalancerSourceRanges: ["198.51.100.0/24", "192.0.2.0/24"] });
    expect(made.ports).to.deep.equal([{ protocol: "TCP", port: 80, targetPort: 80 }]);
    expect(made.sourceRanges).to.deep.equal(["192.0.2.0/24", "198.51.100.0/24"]);
  });

  it("of another namespace has to allow it, and looks the same as a missing one", () => {
    const allows = (text: string) => service({}, { [Annotation.allowRoutedIpFrom]: text });
    expect(problem(service({}), "team")).to.equal("NamespaceNotAllowed");
    expect(problem(undefined, "team")).to.equal("NamespaceNotAllowed");
    expect(problem(allows("other, team"), "team")).to.equal(undefined);
    expect(problem(allows("teams"), "team")).to.equal("NamespaceNotAllowed");
    expect(problem(service({}), "defaul"), "the beginning of a name is another name").to.equal("NamespaceNotAllowed");
    const spec: RoutedIPSpec = { serviceRef: { serviceName: "web" } };
    expect(serviceKeyOf({ namespace: "team" }, spec)).to.equal("team/web");
    expect(serviceKeyOf({ namespace: "team" }, { serviceRef: { serviceName: "web", namespace: "x" } })).to.equal(
      "x/web",
    );
  });
});

describe("the ports of a Service", () => {
  const found = (spec: object, pods: readonly PortPod[] = []) => {
    const { ports, problem } = portsOf(service(spec), pods, { nodes: [NODE] });
    return [ports.map(({ protocol, port, origin }) => `${protocol} ${port} ${origin}`).join(", "), problem?.reason];
  };

  it("are its NodePorts, and the hostPorts of the pods behind it", () => {
    const both = [{ port: 53, protocol: "UDP", targetPort: 5353 }, tcp(53, { targetPort: 5353 })];
    const udp = hostPort(5353, 53, { protocol: "UDP" });
    const rows: readonly (readonly [object, readonly PortPod[], string, string | undefined])[] = [
      [{ ports: [tcp(80, { nodePort: 30_080 })] }, [], "TCP 30080 NodePort", undefined],
      [{ ports: [tcp(80)] }, [], "", undefined],
      [{ ports: [tcp(80)] }, [READY], "", "ServiceUnsuitable"],
      [{ ports: [tcp(80, { targetPort: 8080 })] }, [hostPort(8080, 80)], "TCP 80 HostPort", undefined],
      [
        { ports: [tcp(80, { targetPort: "http" })] },
        [hostPort(8080, 80, { name: "http" })],
        "TCP 80 HostPort",
        undefined,
      ],
      [{ ports: [tcp(80, { targetPort: "http" })] }, [hostPort(8080, 80, { name: "web" })], "", "ServiceUnsuitable"],
      [{ ports: [tcp(80, { targetPort: 8080 })] }, [{ ...READY, hostNetwork: true }], "TCP 8080 HostPort", undefined],
      [{ ports: both }, [hostPort(5353, 53), udp], "TCP 53 HostPort, UDP 53 HostPort", undefined],
      [{ ports: [tcp(53, { targetPort: 5353 })] }, [udp], "", "ServiceUnsuitable"],
      [
        { ports: [tcp(80, { targetPort: 8080 })] },
        [{ ...hostPort(8080, 80), hostNetwork: true }],
        "TCP 80 HostPort",
        undefined,
      ],
      [
        { ports: [tcp(80, { targetPort: 8080 }), tcp(81, { targetPort: 8080 })] },
        [hostPort(8080, 80)],
        "TCP 80 HostPort",
        undefined,
      ],
      [{ ports: [{ port: 7, protocol: "SCTP", nodePort: 30_007 }] }, [READY], "", "ServiceUnsuitable"],
      [
        { ports: [tcp(80, { targetPort: "http" })] },
        [hostPort(8080, 80, { name: "http" }), hostPort(9090, 81, { name: "http" })],
        "TCP 80 HostPort, TCP 81 HostPort",
        undefined,
      ],
    ];
    for (const [spec, pods, ports, reason] of rows) expect(found(spec, pods)).to.deep.equal([ports, reason]);
  });

  it("of externalIPs are those of the Service itself, beside its NodePorts and the hostPorts of its pods", () => {
    const externalIPs = ["198.51.100.1"];
    const web = tcp(443, { targetPort: 8443, nodePort: 30_443 });
    const rows: readonly (readonly [object, readonly PortPod[], string, string | undefined])[] = [
      [{ ports: [web], externalIPs }, [], "TCP 443 ExternalIP, TCP 30443 NodePort", undefined],
      [{ ports: [web], externalIPs: [] }, [], "TCP 30443 NodePort", undefined],
      [{ ports: [tcp(443)], externalIPs }, [READY], "TCP 443 ExternalIP", undefined],
      [{ ports: [tcp(443, { targetPort: 8443 })], externalIPs }, [hostPort(8443, 443)], "TCP 443 HostPort", undefined],
      // On its own address, the node has a hostPort 80; on the external one, the Service has its port 80.
      [
        { ports: [tcp(80, { targetPort: 8080 }), tcp(81, { targetPort: 8443 })], externalIPs },
        [hostPort(8443, 80)],
        "TCP 80 HostPort, TCP 81 ExternalIP",
        undefined,
      ],
      [{ ports: [{ port: 7, protocol: "SCTP" }], externalIPs }, [READY], "", "ServiceUnsuitable"],
    ];
    for (const [spec, pods, ports, reason] of rows) expect(found(spec, pods)).to.deep.equal([ports, reason]);
  });

  it("stay open while there is no pod, as between the old and the new one of a node", () => {
    const web = service({ ports: [tcp(80, { name: "http" }), tcp(443, { name: "https", nodePort: 30_443 })] });
    const { ports: last } = portsOf(web, [hostPort(80, 80), hostPort(443, 443)], { nodes: [NODE] });
    const text = (of: ServiceFacts, pods: readonly PortPod[], before: typeof last) =>
      portsOf(of, pods, { nodes: [NODE], last: before }).ports.map(({ port, origin }) => `${port} ${origin}`);
    expect(text(web, [], last)).to.deep.equal(["80 HostPort", "443 HostPort", "30443 NodePort"]);
    expect(text(web, [hostPort(80, 8080)], last), "pods know better").to.deep.equal([
      "8080 HostPort",
      "30443 NodePort",
    ]);
    const of = (origin: "NodePort" | "HostPort", protocol: "TCP" | "UDP", port: number) => ({
      ...{ name: "http", origin, protocol, port },
    });
    const only = service({ ports: [tcp(80, { name: "http" })] });
    const mixed = [of("NodePort", "TCP", 30_080), of("HostPort", "UDP", 81), of("HostPort", "TCP", 82)];
    expect(text(only, [], mixed), "hostPorts of this protocol").to.deep.equal(["82 HostPort"]);
    const less = service({ ports: [tcp(80, { name: "http" })] });
    expect(text(less, [], last), "a port that the Service gave up").to.deep.equal(["80 HostPort"]);
  });

  it("are opened only by pods that are Ready and on a node that has the address, or will have it", () => {
    const web = service({ ports: [tcp(80), tcp(53, { nodePort: 30_053 })] });
    const open = (pod: PortPod) =>
      portsOf(web, [pod], { nodes: [NODE, "n2"] }).ports.map(({ port, origin }) => `${port} ${origin}`);
    const pod = hostPort(80, 22);
    expect(open(pod), "what a pod declares is limited by allowedPorts, not here").to.deep.equal([
      "22 HostPort",
      "30053 NodePort",
    ]);
    const never: readonly (readonly [string, PortPod])[] = [
      ["it never ran", { ...pod, ready: false }],
      ["no node has it", { ...pod, nodeName: undefined }],
      ["another node has it", { ...pod, nodeName: "n3" }],
      ["it terminates", { ...pod, deletionTimestamp: "2025-06-01T10:00:00Z" }],
    ];
    for (const [why, each] of never) expect(open(each), why).to.deep.equal(["30053 NodePort"]);
  });

  it("clash where one port of a node would lead to two of them", () => {
    const ports = [tcp(80, { name: "http", targetPort: 8080 }), tcp(443, { name: "https", targetPort: 8443 })];
    const [text, reason] = found({ ports }, [hostPort(8080, 443), hostPort(8443, 443)]);
    expect(text).to.equal("TCP 443 HostPort");
    expect(reason).to.equal("PortClash");
    const closed = [...ports, tcp(7, { name: "echo", targetPort: 7 })];
    const [, first] = found({ ports: closed }, [hostPort(8080, 443), hostPort(8443, 443)]);
    expect(first, "a clash is said before what is closed").to.equal("PortClash");
  });

  it("that no node opens are named with what the pods offer, and with who can change that", () => {
    const web = service({ ports: [tcp(80, { name: "web", targetPort: 8081 })] });
    const key = "default/web";
    const message = (pods: readonly PortPod[]) => portsOf(web, pods, { nodes: [NODE] }).problem?.message;
    const others = "use type NodePort, or set its externalIPs (TCP or UDP)";
    const http = hostPort(8090, 8081, { name: "http" });
    expect(message([http, http, hostPort(5353, 53, { protocol: "UDP" })])).to.equal(
      `Service ${key}: no node opens port web (80/TCP), targetPort 8081; its pods have containerPort 5353, hostPort 53 (UDP); http: containerPort 8090, hostPort 8081: have the author of Service ${key} set targetPort to a containerPort that has a hostPort, or to its name, ${others}`,
    );
    expect(message([READY])).to.equal(
      `Service ${key}: no node opens port web (80/TCP), targetPort 8081; its pods have no hostPort: have the author of Service ${key} give its pods a hostPort for the containerPort that targetPort means, ${others}`,
    );
  });

  it("need rules outside of the NodePort range, for whom the Service lets in", () => {
    const { ports } = portsOf(service({ ports: [tcp(80, { nodePort: 30_080 })] }), [hostPort(80, 80)], {
      nodes: [NODE],
    });
    const range = (nodePortRange: string, sourceRanges: readonly string[] = []) =>
      rulesOf(ports, { nodePortRange, sourceRanges }).map(({ protocol, ports: open, sources }) => [
        protocol,
        open,
        sources,
      ]);
    expect(range("30000-32767")).to.deep.equal([["tcp", "80", ["0.0.0.0/0", "::/0"]]]);
    expect(range("none", ["198.51.100.0/24", "192.0.2.0/24"]), "no range: all ports need one").to.deep.equal([
      ["tcp", "80", ["192.0.2.0/24", "198.51.100.0/24"]],
      ["tcp", "30080", ["192.0.2.0/24", "198.51.100.0/24"]],
    ]);
    expect(range("80-80", ["198.51.100.0/24"])).to.deep.equal([["tcp", "30080", ["198.51.100.0/24"]]]);
  });
});

describe("the endpoints of a Service", () => {
  const slice = (endpoints: readonly object[], addressType = "IPv4") =>
    slimSlices({
      metadata: { ...meta("web-x"), labels: { [SERVICE_LABEL]: "web" } },
      ...{ addressType, endpoints },
    });
  const workload = (...slices: readonly ReturnType<typeof slice>[]) =>
    new EndpointWorkload("default/web", () => slices);

  it("make a node serve, still serve, or not", () => {
    const rows: readonly (readonly [object, string, boolean])[] = [
      [{}, "serving", true],
      [{ conditions: { ready: true } }, "serving", true],
      [{ conditions: { ready: false, serving: false } }, "unready", false],
      [{ conditions: { ready: false, serving: true, terminating: true } }, "unready", true],
      // publishNotReadyAddresses says ready whatever happens.
      [{ conditions: { ready: true, serving: true, terminating: true } }, "unready", true],
      [{ conditions: { ready: null, serving: null } }, "serving", true],
    ];
    for (const [endpoint, state, serves] of rows) {
      const made = workload(slice([{ nodeName: "n1", ...endpoint }]));
      expect([made.on("n1").state, made.servesAt("n1")]).to.deep.equal([state, serves]);
      expect(made.on("n2").state).to.equal("absent");
    }
  });

  it("leave a node when all that are there terminate, and may recover else", () => {
    const leaving = (...conditions: readonly object[]) => {
      const on = workload(slice(conditions.map((each) => ({ nodeName: "n1", conditions: each })))).on("n1");
      return on.state === "unready" && on.leaving === true;
    };
    const ends = { ready: false, serving: true, terminating: true };
    expect(leaving(ends)).to.equal(true);
    expect(leaving(ends, { ready: false, serving: false, terminating: true })).to.equal(true);
    expect(leaving(ends, { ready: false, serving: false })).to.equal(false);
    expect(leaving({ ready: false, serving: false })).to.equal(false);
  });

  it("count over all slices and both families, the best of a node first", () => {
    const old = slice([{ nodeName: "n1", conditions: { ready: false, serving: true, terminating: true } }]);
    const made = workload(old, slice([{ nodeName: "n1" }], "IPv6"));
    expect(made.on("n1").state).to.equal("serving");
    expect([...made.nodes()]).to.deep.equal(["n1"]);
    expect(workload(slice([{ nodeName: "n1" }], "FQDN")).on("n1").state).to.equal("absent");
    expect([...nodesOfSlices(old, undefined, slice([{ nodeName: "n2" }, {}]))]).to.deep.equal(["n1", "n2"]);
    expect(old.service).to.equal("default/web");
  });
});

describe("the terms of a RoutedIP", () => {
  const issuerRef = { name: "do", namespace: "flipop" };
  const lookUp = (spec: ClusterRoutedIPClassSpec | undefined): LookUp => ({
    class: () => (spec === undefined ? undefined : { metadata: meta("public"), spec }),
    issuer: (key) =>
      key === "flipop/do" || key === "default/mine"
        ? { metadata: meta("do"), spec: { provider: "digitalocean", routedIPFirewallName: "ingress" } }
        : undefined,
  });
  const resolvedClass = (spec: Partial<RoutedIPSpec>, cls?: ClusterRoutedIPClassSpec) =>
    resolveClass({ metadata: meta("a"), spec: { serviceRef: { serviceName: "web" }, ...spec } }, lookUp(cls));

  it("are those of its class", () => {
    const made = resolvedClass(
      { className: "public" },
      { issuerRef, perNodeIPLimit: 2, firewallPostAllow: true },
    ).resolvedClass;
    expect(made).to.deep.include({ by: "issuer", issuer: "flipop/do", perNodeIPLimit: 2, postAllow: true });
    expect(
      resolvedClass({ className: "public" }, { updateRoutedIP: {}, updateFirewall: {} }).resolvedClass?.by,
    ).to.equal("jobs");
  });

  it("are all defaults with an issuer of its own namespace, and of no other", () => {
    const made = resolvedClass({ issuerRef: { name: "mine" } }).resolvedClass;
    expect(made).to.deep.include({ issuer: "default/mine", perNodeIPLimit: 1, nodePortRange: "30000-32767" });
    expect(made).to.deep.include({ reclaimPolicy: "Retain", postAllow: false });
    expect(made?.taint).to.deep.equal({ key: "flipop.digitalocean.com/routed-ip", effect: "PreferNoSchedule" });
    expect(resolvedClass({ issuerRef: { name: "do" } }).problem?.reason).to.equal("IssuerNotFound");
  });

  it("are refused with a reason", () => {
    const rows: readonly (readonly [Partial<RoutedIPSpec>, ClusterRoutedIPClassSpec | undefined, string])[] = [
      [{}, undefined, "Invalid"],
      [{ className: "public", issuerRef: { name: "mine" } }, { issuerRef }, "Invalid"],
      [{ className: "public" }, undefined, "ClassNotFound"],
      [{ className: "public" }, {}, "Invalid"],
      [{ className: "public" }, { updateFirewall: {} }, "Invalid"],
      [{ className: "public" }, { issuerRef, updateRoutedIP: {}, updateFirewall: {} }, "Invalid"],
      [{ className: "public" }, { issuerRef, allowedNamespaces: ["team"] }, "NamespaceNotAllowed"],
      [{ className: "public" }, { issuerRef: { name: "x", namespace: "flipop" } }, "IssuerNotFound"],
    ];
    for (const [spec, cls, reason] of rows) expect(resolvedClass(spec, cls).problem?.reason).to.equal(reason);
  });
});
