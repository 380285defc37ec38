import { expect } from "chai";
import { describe, it } from "mocha";
import { type PortPod, portsOf } from "../../src/routing/needed-ports.js";
import { hostPort, NODE, READY, service, tcp } from "./service-facts.js";

describe("the ports of a Service", () => {
  it("that no node opens are named with what the pods offer, and with who can change that", () => {
    const web = service({ ports: [tcp(80, { name: "web", targetPort: 8081 })] });
    const key = "default/web";
    const message = (pods: readonly PortPod[]) => portsOf(web, pods, { nodes: [NODE] }).problem?.message;
    const others = "or use type NodePort";
    const http = hostPort(8090, 8081, { name: "http" });
    expect(message([http, http, hostPort(5353, 53, { protocol: "UDP" })])).to.equal(
      `Service ${key}: on the node of the address, its pods do not open port web (80/TCP), targetPort 8081; they have containerPort 5353, hostPort 53 (UDP); http: containerPort 8090, hostPort 8081; fix: have the author of Service ${key} set targetPort to a containerPort that has a hostPort, or to its name, ${others}`,
    );
    const balanced = { ...web, type: "LoadBalancer" };
    expect(portsOf(balanced, [READY], { nodes: [NODE] }).problem?.message).to.include(
      "a hostPort for the containerPort that targetPort means, or remove allocateLoadBalancerNodePorts: false",
    );
    expect(message([READY])).to.equal(
      `Service ${key}: on the node of the address, its pods do not open port web (80/TCP), targetPort 8081; they have no hostPort; fix: have the author of Service ${key} give its pods a hostPort for the containerPort that targetPort means, ${others}`,
    );
  });

  it("that only pods of another workload open are named with the workloads that the Service selects", () => {
    const of = (name: string, pod: PortPod) => ({
      ...pod,
      name: `${name}-7d-x1`,
      labels: { "pod-template-hash": "7d" },
    });
    const web = service({ ports: [tcp(80, { targetPort: 8080 }), tcp(81, { targetPort: 8081 })] });
    const here = of("blue", hostPort(8080, 80));
    const message = (other: PortPod) =>
      portsOf(web, [here, { ...other, nodeName: "n2" }], { nodes: [NODE] }).problem?.message;
    expect(message(of("green", hostPort(8081, 81))))
      .to.include("do not open port 81/TCP, targetPort 8081")
      .and.include("; the Service selects pods of Deployment default/blue, Deployment default/green; fix: ")
      .and.include("select the pods of one of these workloads alone, or ");
    expect(message(here), "one workload").not.to.include("selects");
  });

  it("that pods open on a loopback address alone are named with it", () => {
    const web = service({ ports: [tcp(443, { targetPort: 8443 })] });
    const pods = [hostPort(8443, 443, { loopback: "127.0.0.1" })];
    expect(portsOf(web, pods, { nodes: [NODE] }).problem?.message)
      .to.include("containerPort 8443, hostPort 443 on hostIP 127.0.0.1 only")
      .and.include("fix: have the author of Service default/web remove hostIP from this port of its pods");
  });

  it("that pods open for the other protocol alone are named with the protocol to set", () => {
    const message = (targetPort: string | number) =>
      portsOf(
        service({ ports: [tcp(7777, { name: "game", targetPort })] }),
        [hostPort(7777, 7777, { name: "game", protocol: "UDP" })],
        { nodes: [NODE] },
      ).problem?.message;
    for (const targetPort of ["game", 7777]) {
      expect(message(targetPort))
        .to.include("do not open port game (7777/TCP)")
        .and.include(
          "they open hostPort 7777 for UDP only; fix: have the author of Service default/web set protocol: UDP",
        );
    }
    expect(message(8080), "another port").to.include("set targetPort to a containerPort");
    const both = ["TCP", "UDP"].map((protocol) => tcp(7777, { name: protocol, targetPort: 7777, protocol }));
    const found = portsOf(service({ ports: both }), [hostPort(7777, 7777, { protocol: "UDP" })], { nodes: [NODE] });
    expect(found.problem?.message, "the Service has the UDP port already").not.to.include("set protocol");
  });

  it("that pods open for TCP alone are named with the container port to correct, which is TCP by default", () => {
    const message = (protocols: readonly string[], offered: string) => {
      const ports = protocols.map((protocol) => tcp(53, { name: "dns", targetPort: 5353, protocol }));
      const pods = [hostPort(5353, 53, { protocol: offered })];
      return portsOf(service({ ports }), pods, { nodes: [NODE] }).problem?.message;
    };
    expect(message(["UDP"], "TCP")).to.equal(
      "Service default/web: on the node of the address, its pods do not open port dns (53/UDP), targetPort 5353; they open hostPort 53 for TCP only; fix: have the author of Service default/web set protocol: UDP at containerPort 5353 of its pods (without protocol, a port is TCP), or protocol: TCP at port dns (53/UDP) of the Service",
    );
    for (const [lacking, offered] of [
      ["UDP", "TCP"],
      ["TCP", "UDP"],
    ] as const) {
      expect(message(["TCP", "UDP"], offered), "the Service has both")
        .to.include(`they open hostPort 53 for ${offered} only`)
        .and.include(
          `fix: have the author of Service default/web add a container port to its pods, with containerPort 5353, hostPort 53 and protocol: ${lacking}, or remove port dns (53/${lacking}) from the Service`,
        );
    }
  });
});
