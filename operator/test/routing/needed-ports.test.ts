import { expect } from "chai";
import { describe, it } from "mocha";
import { DIGITALOCEAN_ADDRESSES } from "../../src/providers/address-capabilities.js";
import { type PortPod, portlessPod, portsOf, rulesOf } from "../../src/routing/needed-ports.js";
import { asReached, type ServiceFacts } from "../../src/routing/service.js";
import { hostPort, NODE, READY, service, tcp } from "./service-facts.js";

describe("the ports of a Service", () => {
  const found = (spec: object, pods: readonly PortPod[] = []) => {
    const { ports, problem } = portsOf(service(spec), pods, { nodes: [NODE] });
    return [ports.map(({ protocol, port, origin }) => `${protocol} ${port} ${origin}`).join(", "), problem?.reason];
  };

  it("leave out what the pods open besides, which is found, too", () => {
    const unlisted = (...pods: readonly PortPod[]) =>
      portsOf(service({ ports: [tcp(443, { targetPort: 443 })] }), pods, { nodes: [NODE] }).unlisted;
    const udp = { protocol: "UDP" };
    const { hostPorts = [] } = hostPort(443, 443);
    const both = { ...READY, hostPorts: [...hostPorts, ...(hostPort(443, 443, udp).hostPorts ?? [])] };
    expect(unlisted(both, both)).to.deep.equal([{ protocol: "UDP", port: 443 }]);
    expect(unlisted(hostPort(443, 443))).to.equal(undefined);
    expect(unlisted(hostPort(9100, 9100, { loopback: "127.0.0.1" })), "no other machine reaches it").to.equal(
      undefined,
    );
    expect(unlisted({ ...both, hostNetwork: true }), "its ports are informational").to.equal(undefined);
    expect(unlisted({ ...both, nodeName: "n2" }), "the address is not there").to.equal(undefined);
  });

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
      [
        { ports: [tcp(80, { targetPort: 8080 })] },
        [hostPort(8080, 80, { loopback: "127.0.0.1" })],
        "",
        "ServiceUnsuitable",
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
    expect(first, "the problem names a clash before closed ports").to.equal("PortClash");
  });

  it("are no reason to refuse a node, unless its pods open none of them and other pods do", () => {
    const web = service({ ports: [tcp(80, { targetPort: 8080 })] });
    const open = hostPort(8080, 80);
    const ended = { ...READY, ready: false };
    expect(portlessPod(web, [READY], [READY, open])).to.equal(READY);
    expect(portlessPod(web, [READY], [READY, { ...open, ready: false }]), "it may be Ready again").to.equal(READY);
    expect(portlessPod(web, [READY, open], [READY, open])).to.equal(undefined);
    expect(portlessPod(web, [ended], [ended, open]), "nothing serves there").to.equal(undefined);
    expect(portlessPod(web, [READY], [READY]), "no pod opens a port").to.equal(undefined);
    const nodePort = service({ ports: [tcp(80, { targetPort: 8080, nodePort: 30_080 })] });
    expect(portlessPod(nodePort, [READY], [READY, open]), "every node opens it").to.equal(undefined);
    expect(portlessPod({ ...web, externalIPs: ["198.51.100.1"] }, [READY], [READY, open])).to.equal(undefined);
  });

  it("are not those of externalIPs under which no packet arrives at a node", () => {
    const own = "203.0.113.7";
    const reached = (spec: object) =>
      asReached(service(spec), DIGITALOCEAN_ADDRESSES, (ip) => ip === own || ip === "2001:db8::7");
    const ports = [tcp(80, { targetPort: 8080 })];
    const judged = (spec: object, pods: readonly PortPod[]) => {
      const { ports: open, problem, remark } = portsOf(reached(spec), pods, { nodes: [NODE] });
      return [open.map(({ port }) => port).join(), problem?.id, remark?.id];
    };
    const [open, id] = [hostPort(8080, 80), "services.externalTranslated"];
    expect(judged({ ports, externalIPs: [own] }, [READY]), "no other way").to.deep.equal(["", id, id]);
    const nodePorts = [tcp(80, { nodePort: 30_080 })];
    const [none, remark] = [
      [undefined, undefined],
      [undefined, id],
    ];
    const withNodePorts = (externalIPs: readonly string[]) => judged({ ports: nodePorts, externalIPs }, [READY]);
    expect(withNodePorts([own]), "NodePort").to.deep.equal(["30080", ...remark]);
    expect(judged({ ports, externalIPs: [own] }, [open]), "the same hostPort").to.deep.equal(["80", ...none]);
    const both = [own, "10.10.0.5"];
    expect(judged({ ports, externalIPs: both }, [READY]), "anchor").to.deep.equal(["80", ...remark]);
    expect(withNodePorts(both), "anchor, NodePort").to.deep.equal(["80,30080", ...remark]);
    expect(judged({ ports, externalIPs: both }, [open]), "anchor, hostPort").to.deep.equal(["80", ...none]);
    expect(judged({ ports, externalIPs: ["2001:db8::7"] }, [READY]), "IPv6").to.deep.equal(["80", ...none]);
    expect(portlessPod(reached({ ports, externalIPs: [own] }), [READY], [READY, open])).to.equal(READY);
    expect(portsOf(reached({ ports, externalIPs: [own] }), [READY], { nodes: [NODE] }).problem?.message).to.equal(
      "Service default/web does not answer at port 80/TCP of 203.0.113.7, which its externalIPs list: such packets arrive at the node under another destination (the anchor address of the Droplet); fix: have the author of Service default/web give its pods hostPorts or use type NodePort, or list the anchor address of the Droplet in place of 203.0.113.7 for each node",
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
