import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../../controllers/routed-ip/routed-world.js";

describe("operator in process: the open ports of a RoutedIP", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("opens new ports before it closes old ones, when the Service gets another one", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    const { digitalocean } = made.world;
    const before = digitalocean.journal.mark;
    made.removePod("n1");
    made.addPod("n1", 8443);
    await made.until("the other port", () => made.firewall()?.ports.join() === "8443");
    const calls = digitalocean.journal.calls({ mutating: true, after: before }).map(({ method }) => method);
    expect(calls.lastIndexOf("DELETE"), `${calls}`).to.be.greaterThan(calls.indexOf("POST"));
  });

  it("are open to everybody with an annotation that limits the clients of load balancers, which a condition says", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    const { kubernetes } = made.world;
    const ref = { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" };
    const annotations = { "service.beta.kubernetes.io/do-loadbalancer-allow-rules": "cidr:203.0.113.0/24" };
    kubernetes.change(ref, (object) => ({ ...object, metadata: { ...(object["metadata"] as object), annotations } }));
    await made.until("it says so", () => made.condition("a", "FirewallReady") === "True/UnrestrictedSources");
    expect(made.condition("a", "Ready")).to.equal("True/UnrestrictedSources");
    const loadBalancerSourceRanges = ["203.0.113.0/24"];
    kubernetes.change(ref, (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), loadBalancerSourceRanges },
    }));
    await made.until("it is limited", () => made.condition("a", "FirewallReady") === "True/RestrictedSources");
  });

  it("are none on a node whose pod has no hostPort, so the address does not go there", async () => {
    made = await RoutedWorld.create(["n1", "n2", "n3"]);
    await made.readyOnFirst();
    made.addPod("n2", 0);
    made.serve({ node: "n1" }, { node: "n2" });
    made.world.setReady("n1", false);
    await made.until("no node is a candidate", () => made.condition("a", "Assigned") === "False/NoCandidate");
    const { conditions = [] } = made.status("a");
    expect(conditions.find(({ type }) => type === "Assigned")?.message).to.contain(
      "1 NoOpenPort (n2: its pod default/web-n2 opens no port of Service default/web on the node",
    );
    made.removePod("n2");
    made.addPod("n2");
    await made.until("its pod has a hostPort", () => made.nodeOf("a") === "n2");
  });

  it("are none where the address is, once another pod runs there: then nothing serves it", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    made.cordon("n2");
    made.serve({ node: "n1" }, { node: "n2" });
    await made.world.rest();
    expect(made.condition("a", "Assigned")).to.equal("True/Observed");
    made.removePod("n1");
    made.addPod("n1", 0);
    await made.until("it is not served", () => made.condition("a", "Assigned") === "False/NoCandidate");
    expect(made.condition("a", "Ready")).to.match(/^False/);
    made.uncordon("n2");
    await made.until("it is on the node that opens the port", () => made.nodeOf("a") === "n2");
    await made.ready("a");
  });

  it("are none on the node that has the address, once the Service is only reached where pods open its ports", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const change = (externalIPs: readonly string[]) =>
      made.world.kubernetes.change(
        { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" },
        (object) => ({ ...object, spec: { ...(object["spec"] as object), externalIPs } }),
      );
    change(["198.51.100.1"]);
    made.addPod("n1", 0);
    await made.readyOnFirst();
    made.serve({ node: "n1" }, { node: "n2" });
    await made.world.rest();
    expect(made.nodeOf("a")).to.equal("n1");
    change([]);
    await made.until("it is on the node that opens the port", () => made.nodeOf("a") === "n2");
  });

  it("are those of the Service that the spec names now, if two Services select the same pods", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const { kubernetes } = made.world;
    await made.readyOnFirst();
    made.addService("admin", { ports: [{ port: 8443, targetPort: "admin", protocol: "TCP" }] });
    const ports = [{ name: "admin", containerPort: 8443, hostPort: 8443, protocol: "TCP" }];
    kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: "admin", namespace: "default", labels: { app: "web" } },
      spec: { nodeName: "n2", containers: [{ name: "web", image: "example.invalid/web", ports }] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
    made.serveAs("admin", "n1", "n2");
    await made.world.rest();
    const ref = { apiVersion: GROUP_VERSION, kind: "RoutedIP", namespace: "default", name: "a" };
    kubernetes.change(ref, (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), serviceRef: { serviceName: "admin" } },
    }));
    await made.until("it is on the node that opens the port", () => made.nodeOf("a") === "n2");
  });

  it("opens the ports of a Service with externalIPs as long as it has them, as far as they are allowed", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    const change = (spec: object) =>
      made.world.kubernetes.change(
        { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" },
        (object) => ({
          ...object,
          spec: { ...(object["spec"] as object), ...spec },
        }),
      );
    const ports = [443, 8080, 22].map((port) => ({ name: `p${port}`, port, targetPort: 443, protocol: "TCP" }));
    const opens = (what: string, expected: readonly string[]) =>
      made.until(what, () => [...(made.firewall()?.ports ?? [])].sort().join() === expected.join());
    change({ ports, externalIPs: ["198.51.100.1"] });
    await opens("8080 is open", ["443", "8080"]);
    await made.until("22 is refused", () => made.condition("a", "FirewallReady") === "False/PortNotAllowed");
    expect(made.status("a").ports?.map(({ port, origin }) => `${port} ${origin}`)).to.deep.equal([
      "443 HostPort",
      "8080 ExternalIP",
    ]);
    change({ externalIPs: [] });
    await opens("8080 is closed", ["443"]);
  });

  it("are not those of its own address in externalIPs, where its packets arrive under another destination", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const ip = await made.readyOnFirst();
    made.removePod("n1");
    made.addPod("n1", 0);
    const service = made.refTo("web", "Service");
    made.world.kubernetes.change({ ...service, apiVersion: "v1" }, (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), externalIPs: [ip] },
    }));
    await made.until("it says so", () => made.condition("a", "Accepted") === "False/ServiceUnsuitable");
    expect(made.condition("a", "Ready")).to.match(/^False/);
    made.addPod("n2");
    made.serve({ node: "n1" }, { node: "n2" });
    await made.until("it is where a pod opens the port", () => made.nodeOf("a") === "n2");
    await made.ready("a");
  });

  it("names a port that it may not open also before the pod is ready, and while it is not ready any more", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { kubernetes } = made.world;
    const ports = [443, 22].map((port) => ({ name: `p${port}`, port, targetPort: port, protocol: "TCP" }));
    const service = { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" };
    kubernetes.change(service, (object) => ({ ...object, spec: { ...(object["spec"] as object), ports } }));
    const status = (ready: string) => ({ phase: "Running", conditions: [{ type: "Ready", status: ready }] });
    const hostPorts = [443, 22].map((port) => ({ containerPort: port, hostPort: port, protocol: "TCP" }));
    const pod = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "web-n1" };
    kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: "web-n1", namespace: "default", labels: { app: "web" } },
      spec: { nodeName: "n1", containers: [{ name: "web", image: "example.invalid/web", ports: hostPorts }] },
      status: status("False"),
    });
    made.addIssuer();
    made.addRouted("a", { routedIP: made.world.digitalocean.state.addAddress().ip });
    made.world.start();
    const refused = async (when: string) => {
      await made.world.rest();
      expect(made.condition("a", "FirewallReady"), when).to.equal("False/PortNotAllowed");
      expect(made.status("a").ports?.map(({ port }) => port) ?? [], when).not.to.include(22);
    };
    await made.until("no node is a candidate", () => made.condition("a", "Assigned") === "False/NoCandidate");
    await refused("before it is ready");
    kubernetes.change(pod, (object) => ({ ...object, status: status("True") }), "status");
    made.serve({ node: "n1" });
    await made.until("443 is open", () => made.firewall()?.ports.join() === "443");
    await refused("while it is ready");
    kubernetes.change(pod, (object) => ({ ...object, status: status("False") }), "status");
    await refused("while it is not ready");
    expect(made.firewall()?.ports, "it stays open for the next pod").to.deep.equal(["443"]);
  });

  it("is not Ready while a port of a pod that is not ready yet is closed, which no earlier pod had", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { kubernetes } = made.world;
    const portsOf = (...numbers: readonly number[]) =>
      numbers.map((port) => ({ containerPort: port, hostPort: port, protocol: "TCP" }));
    const change = (...numbers: readonly number[]) => {
      const ports = numbers.map((port) => ({ name: `p${port}`, port, targetPort: port, protocol: "TCP" }));
      const service = { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" };
      kubernetes.change(service, (object) => ({ ...object, spec: { ...(object["spec"] as object), ports } }));
    };
    const pod = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "web-n1" };
    const setPod = (ready: string, ...numbers: readonly number[]) => {
      if (kubernetes.get(pod) !== undefined) kubernetes.delete(pod);
      kubernetes.create({
        ...{ apiVersion: "v1", kind: "Pod" },
        metadata: { name: "web-n1", namespace: "default", labels: { app: "web" } },
        spec: {
          nodeName: "n1",
          containers: [{ name: "web", image: "example.invalid/web", ports: portsOf(...numbers) }],
        },
        status: { phase: "Running", conditions: [{ type: "Ready", status: ready }] },
      });
    };
    change(443);
    setPod("True", 443);
    made.addIssuer();
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    await made.until("443 is open", () => made.condition("a", "Ready") === "True/Observed");
    change(443, 31_000);
    setPod("False", 443, 31_000);
    await made.world.rest();
    expect(made.condition("a", "Ready"), "a port that needs no rule").to.equal("True/Observed");
    change(443, 8443);
    setPod("False", 443, 8443);
    await made.until("it waits", () => made.condition("a", "FirewallReady") === "Unknown/UnderWay");
    expect(made.condition("a", "Ready")).to.equal("False/UnderWay");
    expect(made.firewall()?.ports).to.deep.equal(["443"]);
    setPod("True", 443, 8443);
    await made.until("both are open", () => made.condition("a", "Ready") === "True/Observed");
    expect([...(made.firewall()?.ports ?? [])].sort()).to.deep.equal(["443", "8443"]);
  });

  /** The issuer names a second firewall. @returns its id, and the calls so far after which no firewall opened n1's port. */
  function rename() {
    const { digitalocean, kubernetes } = made.world;
    const { firewalls } = digitalocean.state;
    const [previous = "", next] = [firewalls.byName("ingress")?.id, firewalls.add({ name: "next" }).id];
    const machine = made.world.droplet("n1").id;
    const closed: string[] = [];
    const end = digitalocean.journal.subscribe(({ method, path }) => {
      const open = [previous, next].some((id) => {
        const { inbound, dropletIds } = firewalls.get(id).config;
        return dropletIds.includes(machine) && inbound.some(({ ports }) => `${ports}` === "443");
      });
      if (!open) closed.push(`${method} ${path}`);
    });
    kubernetes.change(made.refTo("do", "RoutedIPIssuer"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), routedIPFirewallName: "next" },
    }));
    return { next: () => firewalls.get(next).config, machine, closed, end };
  }

  it("opens another firewall before it leaves the former one", async () => {
    made = await RoutedWorld.create(["n1"]);
    const ip = await made.readyOnFirst();
    const { next, machine, closed, end } = rename();
    await made.until("in the next one", () => next().dropletIds.includes(machine));
    await made.until("out of the former one", () => made.firewall()?.nodes.length === 0);
    await made.until("forgotten", () => made.status("a").previousFirewalls === undefined);
    end();
    expect(closed).to.deep.equal([]);
    expect(made.firewall()).to.deep.equal({ nodes: [], ports: [] });
    expect(next().inbound.map(({ ports }) => `${ports}`)).to.deep.equal(["443"]);
    expect(made.status("a").firewall?.name).to.equal("next");
    expect(made.world.holder(ip)).to.equal(`digitalocean://${machine}`);
  });

  it("opens the other firewall for a holder that the address cannot leave, before it leaves the former one", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const ip = await made.readyOnFirst();
    made.world.digitalocean.state.failActions({ dropletId: made.world.droplet("n2").id, times: 1_000 });
    made.serve({ node: "n1" }, { node: "n2" });
    made.cordon("n1");
    await made.until("a try has failed", () => made.status("a").state === "error");
    const { next, machine, closed, end } = rename();
    await made.until(
      "out of the former one",
      () => made.status("a").previousFirewalls === undefined && made.firewall()?.nodes.length === 0,
    );
    end();
    expect(closed).to.deep.equal([]);
    expect(next().dropletIds).to.include(machine);
    expect(made.world.holder(ip)).to.equal(`digitalocean://${machine}`);
  });

  it("closes no port while a node is without a pod for a moment", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    const { digitalocean } = made.world;
    const before = digitalocean.journal.mark;
    made.removePod("n1");
    await made.world.rest();
    expect(made.firewall()?.ports).to.deep.equal(["443"]);
    made.addPod("n1", 8443);
    await made.until("the other port", () => made.firewall()?.ports.join() === "8443");
    const calls = digitalocean.journal.calls({ mutating: true, after: before }).map(({ method }) => method);
    expect(calls).to.deep.equal(["POST", "DELETE"]);
  });
});
