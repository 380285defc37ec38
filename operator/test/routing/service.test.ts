import { Annotation, type RoutedIPSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { portsOf } from "../../src/routing/needed-ports.js";
import { type ServiceFacts, serviceKeyOf, serviceProblem } from "../../src/routing/service.js";
import { service } from "./service-facts.js";

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
    expect(made.sourceAnnotations).to.deep.equal([]);
  });

  it("is read with annotations of load balancers that limit the clients, and with no other", () => {
    const prefix = "service.beta.kubernetes.io";
    const limits = [`${prefix}/do-loadbalancer-allow-rules`, `${prefix}/load-balancer-source-ranges`];
    const others = [`${prefix}/do-loadbalancer-name`, "example.com/source-ranges"];
    const annotations = Object.fromEntries([...limits, ...others].reverse().map((key) => [key, "x"]));
    expect(service({}, annotations).sourceAnnotations).to.deep.equal(limits);
  });

  it("is reached at other numbers than it lists where its pods have other hostPorts, or it has NodePorts", () => {
    const missed = (port: object, ...hostPorts: readonly number[]) => {
      const opened = hostPorts.map((hostPort) => ({ protocol: "TCP", containerPort: 8443, hostPort }));
      const pod = {
        ...{ name: "web-1", namespace: "default", labels: {}, nodeName: "n1" },
        ...{ ready: true, deletionTimestamp: undefined, hostPorts: opened },
      };
      const ports = [{ port: 443, protocol: "TCP", targetPort: 8443, ...port }];
      return portsOf(service({ ports }), [pod], { nodes: ["n1"] }).missed;
    };
    const https = [{ protocol: "TCP", port: 443 }];
    expect(missed({}, 8443)).to.deep.equal(https);
    expect(missed({ nodePort: 30_443 })).to.deep.equal(https);
    expect(missed({ nodePort: 30_443 }, 443)).to.equal(undefined);
    expect(missed({}, 443)).to.equal(undefined);
    expect(missed({}), "it is reached at none").to.equal(undefined);
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
