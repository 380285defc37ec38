import { GROUP_VERSION, LOAD_BALANCER_CLASS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { inWorld, type Running, type World } from "../world.js";

const FLAGS = { features: "pools,dns,routedip,publish" };
const TO_WEB = [{ kind: "Service", name: "web" }] as const;

function service(name = "web", spec: object = { type: "LoadBalancer", loadBalancerClass: LOAD_BALANCER_CLASS }) {
  return {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name, namespace: "default" } },
    spec: { ports: [{ port: 80 }], selector: { app: "web" }, ...spec },
  };
}

interface Ingress {
  readonly ip?: string;
  readonly ipMode?: string;
}

function ingress({ kubernetes }: World, name = "web"): readonly Ingress[] {
  const object = kubernetes.get({ apiVersion: "v1", kind: "Service", namespace: "default", name });
  const { loadBalancer } = (object?.["status"] ?? {}) as { readonly loadBalancer?: { readonly ingress?: Ingress[] } };
  return loadBalancer?.ingress ?? [];
}

function shown(world: World, name = "web"): readonly string[] {
  return ingress(world, name).map(({ ip = "" }) => ip);
}

function addresses({ digitalocean }: World, count: number): readonly string[] {
  return Array.from({ length: count }, () => digitalocean.state.addAddress().ip).sort();
}

/** Somebody else writes the status. */
function change({ kubernetes }: World, ip: string): void {
  kubernetes.change(
    { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" },
    (object) => ({ ...object, status: { loadBalancer: { ingress: [{ ip }] } } }),
    "status",
  );
}

/** A node, the Service, and an operator with a pool of one address, which the Service shows. */
async function showing(world: World): Promise<{ readonly ip: string; readonly operator: Running }> {
  world.addNode("node-1");
  world.kubernetes.create(service());
  const [ip = ""] = world.addAddresses(1);
  world.addPool("web", { ips: [ip], publishTo: TO_WEB });
  const operator = world.start();
  await world.until("it is shown", () => shown(world).join() === ip);
  return { ip, operator };
}

async function says(world: World, text: string, pool = "web"): Promise<void> {
  await world.until(`${pool} says ${text}`, () => world.condition(pool, "Published")?.message.includes(text) === true);
}

describe("addresses in the status of a Service", () => {
  it("are the active ones of a pool, for as long as the pool is there", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      for (const name of ["node-1", "node-2"]) world.addNode(name);
      world.kubernetes.create(service());
      const ips = addresses(world, 2);
      world.addPool("web", { ips, publishTo: TO_WEB });
      world.start();
      await world.until("both are shown", () => shown(world).join() === ips.join());
      expect(ingress(world)[0]).to.deep.equal({ ip: ips[0], ipMode: "Proxy" });
      await world.until("the pool says so", () => world.condition("web", "Published")?.status === "True");
      await world.until("the pool is ready", () => world.condition("web", "Ready")?.status === "True");
      world.removeNode("node-1");
      await world.until("one is withdrawn", () => shown(world).length === 1);
      expect(Object.entries(world.status("web").ips ?? {}).find(([, { state }]) => state === "active")?.[0]).to.equal(
        shown(world)[0],
      );
      world.kubernetes.delete(world.refTo("web"));
      await world.until("nothing is shown", () => shown(world).length === 0);
    }));

  it("stay while the only address moves, and go when the field goes", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      const { ip } = await showing(world);
      let least = 1;
      world.kubernetes.onRequest(() => {
        least = Math.min(least, shown(world).length);
      });
      const first = world.holder(ip);
      world.addNode("node-2");
      world.setReady("node-1", false);
      await world.until("it has moved", () => ![undefined, first].includes(world.holder(ip)));
      await world.fulfilled("web");
      await world.rest();
      expect(least, "the fewest addresses at any request").to.equal(1);
      world.edit("web", { publishTo: [] });
      await world.until("nothing is shown", () => shown(world).length === 0);
      await world.until("the old value is gone", () => world.condition("web", "Published")?.status === "Unknown");
      expect(world.condition("web", "Ready")?.status).to.equal("True");
    }));

  it("are withdrawn when no operator ran while their pool was deleted", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      const { operator } = await showing(world);
      await operator.stop();
      world.kubernetes.delete(world.refTo("web"));
      world.start();
      await world.until("nothing is shown", () => shown(world).length === 0);
    }));

  it("are those of the older of two pools; the other says so, and follows when the older goes", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      for (const name of ["node-1", "node-2"]) world.addNode(name);
      world.kubernetes.create(service());
      const [first = "", second = ""] = addresses(world, 2);
      world.addPool("web", { ips: [first], publishTo: TO_WEB });
      await world.clock.sleep(2_000);
      world.addPool("other", { ips: [second], publishTo: TO_WEB });
      world.start();
      await says(
        world,
        "Service default/web shows the addresses of FloatingIPPool default/web, which comes first (by age, then by name)",
        "other",
      );
      expect(world.condition("other", "Published")?.reason).to.equal("ClaimedByOther");
      await world.until("the older is shown", () => shown(world).join() === first);
      await world.rest();
      expect(shown(world)).to.deep.equal([first]);
      world.kubernetes.delete(world.refTo("web"));
      await world.until("the other follows", () => shown(world).join() === second);
    }));

  it("are written to no other Service: the condition and an Event say why", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.addNode("node-1");
      world.addPool("web", { ips: addresses(world, 1), publishTo: TO_WEB });
      world.start();
      await says(world, "Service default/web does not exist; fix: create it");
      world.kubernetes.create(service("web", { type: "ClusterIP" }));
      await says(world, "is of type ClusterIP");
      world.kubernetes.delete({ apiVersion: "v1", kind: "Service", namespace: "default", name: "web" });
      world.kubernetes.create(service("web", { type: "LoadBalancer" }));
      await says(world, "has no loadBalancerClass, so the cloud's controller owns its status");
      expect(world.condition("web", "Ready")?.status).to.equal("False");
      expect(world.events("ServiceUnsuitable")).not.to.have.length(0);
      await world.rest();
      expect(shown(world)).to.deep.equal([]);
      world.kubernetes.delete({ apiVersion: "v1", kind: "Service", namespace: "default", name: "web" });
      world.kubernetes.create(service());
      await world.until("it is shown", () => shown(world).length === 1);
    }));

  it("stay as they are while the pool is paused", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      await showing(world);
      world.edit("web", { paused: true });
      await world.rest();
      world.removeNode("node-1");
      await world.rest();
      expect(shown(world)).to.have.length(1);
    }));

  it("are restored after somebody has changed them, but not again and again", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      const { ip } = await showing(world);
      for (const round of [1, 2, 3]) {
        await world.until(`it is shown, round ${round}`, () => shown(world).join() === ip);
        await world.rest();
        change(world, "198.51.100.99");
      }
      await says(world, "somebody else changes the addresses of Service default/web again and again");
      expect(shown(world)).to.deep.equal(["198.51.100.99"]);
    }));

  it("are no problem any more when a write that failed is not needed", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.addNode("node-1");
      world.kubernetes.create(service());
      world.addPool("web", { ips: addresses(world, 1), publishTo: TO_WEB });
      world.kubernetes.setFaults(({ target }) =>
        target?.plural === "services" && target.verb === "patch" ? { kind: "status", code: 403 } : undefined,
      );
      world.start();
      await world.until("it fails", () => world.condition("web", "Published")?.status === "False");
      world.removeNode("node-1");
      await says(world, "no address is active");
    }));

  it("need the feature", () =>
    inWorld({}, async (world) => {
      world.addNode("node-1");
      world.kubernetes.create(service());
      world.addPool("web", { ips: addresses(world, 1), publishTo: TO_WEB });
      world.start();
      await says(world, "because it runs without feature publish");
      expect(world.condition("web", "Published")?.reason).to.equal("PublishingDisabled");
    }));

  it("are those of a RoutedIP, too", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.addNode("node-1");
      world.kubernetes.create(service("web", {}));
      world.kubernetes.create(service("public"));
      world.kubernetes.create({
        ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
        metadata: { name: "web-1", namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
        endpoints: [{ addresses: ["10.1.0.1"], nodeName: "node-1", conditions: { ready: true } }],
      });
      world.kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer" },
        metadata: { name: "cloud", namespace: "default" },
        spec: { provider: "digitalocean", region: "nyc3" },
      });
      const [ip = ""] = addresses(world, 1);
      world.kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name: "web", namespace: "default" } },
        spec: {
          ...{ issuerRef: { name: "cloud" }, serviceRef: { serviceName: "web" }, routedIP: ip },
          publishTo: [{ kind: "Service", name: "public" }],
        },
      });
      world.start();
      await world.until("it is shown", () => shown(world, "public").join() === ip);
    }));
});
