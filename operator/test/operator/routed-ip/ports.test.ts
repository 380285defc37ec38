import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

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

  it("opens another firewall before it leaves the former one", async () => {
    made = await RoutedWorld.create(["n1"]);
    const ip = await made.readyOnFirst();
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
    await made.until("in the next one", () => firewalls.get(next).config.dropletIds.includes(machine));
    await made.until("out of the former one", () => made.firewall()?.nodes.length === 0);
    await made.until("forgotten", () => made.status("a").previousFirewalls === undefined);
    end();
    expect(closed).to.deep.equal([]);
    expect(made.firewall()).to.deep.equal({ nodes: [], ports: [] });
    expect(firewalls.get(next).config.inbound.map(({ ports }) => `${ports}`)).to.deep.equal(["443"]);
    expect(made.status("a").firewall?.name).to.equal("next");
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
