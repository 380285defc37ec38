import { Annotation, customResourceDefinitions } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { GATEWAY_DEFINITION } from "../../support/kube/gateway-definition.js";
import { inWorld, type World } from "../world.js";

const FLAGS = { features: "pools,dns,routedip,publish" };
const TO_EDGE = [{ kind: "Gateway", name: "edge" }] as const;
const API = "gateway.networking.k8s.io/v1";
const REF = { apiVersion: API, kind: "Gateway", namespace: "default", name: "edge" };
const ALLOWING = { [Annotation.publishAddresses]: "true" };
const OTHER = "198.51.100.99";
const PATH = `/apis/${API}/namespaces/default/gateways/edge`;

const WITH_GATEWAYS = { flags: FLAGS, definitions: [...customResourceDefinitions(), GATEWAY_DEFINITION] };

function gateway(annotations: Readonly<Record<string, string>> = ALLOWING) {
  const metadata = { name: "edge", namespace: "default", annotations };
  return { apiVersion: API, kind: "Gateway", metadata, spec: { gatewayClassName: "any" } };
}

function shown({ kubernetes }: World): readonly string[] {
  const { addresses = [] } = (kubernetes.get(REF)?.["status"] ?? {}) as {
    readonly addresses?: readonly { readonly type: string; readonly value: string }[];
  };
  return addresses.map(({ value }) => value);
}

function address({ digitalocean }: World): string {
  return digitalocean.state.addAddress().ip;
}

async function is(world: World, reason: string): Promise<void> {
  await world.until(`Published is ${reason}`, () => world.condition("web", "Published")?.reason === reason);
}

/** As the Gateway's own controller. */
async function applyAsOther(world: World, addresses: readonly string[]): Promise<void> {
  const listed = addresses.map((value) => ({ type: "IPAddress", value }));
  const status = addresses.length === 0 ? {} : { addresses: listed };
  const { kubernetes } = world;
  const answer = await fetch(`${kubernetes.url}${PATH}/status?fieldManager=gateway-controller`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${kubernetes.adminToken}`, "content-type": "application/apply-patch+yaml" },
    body: JSON.stringify({ apiVersion: API, kind: "Gateway", metadata: { name: "edge" }, status }),
  });
  expect(answer.status, await answer.text()).to.equal(200);
}

function annotate({ kubernetes }: World, annotations: Readonly<Record<string, string>>): void {
  kubernetes.change(REF, (object) => {
    const { metadata } = object;
    return { ...object, metadata: { ...(metadata as object), annotations: { ...annotations } } };
  });
}

describe("addresses in the status of a Gateway", () => {
  it("are the active ones of a pool, for as long as the pool is there", () =>
    inWorld(WITH_GATEWAYS, async (world) => {
      world.addNode("node-1");
      world.kubernetes.create(gateway());
      const ip = address(world);
      world.addPool("web", { ips: [ip], publishTo: TO_EDGE });
      world.start();
      await world.until("it is shown", () => shown(world).join() === ip);
      await world.until("the pool says so", () => world.condition("web", "Published")?.status === "True");
      await world.until("the pool is ready", () => world.condition("web", "Ready")?.status === "True");
      world.removeNode("node-1");
      await world.until("it is withdrawn", () => shown(world).length === 0);
      world.addNode("node-2");
      await world.until("it is shown again", () => shown(world).join() === ip);
      world.kubernetes.delete(world.refTo("web"));
      await world.until("nothing is shown", () => shown(world).length === 0);
    }));

  it("are as many as a Gateway may have; those that it shows stay, and another takes the place of one that goes", () =>
    inWorld(WITH_GATEWAYS, async (world) => {
      const ips = Array.from({ length: 18 }, () => address(world)).sort();
      for (const index of ips.keys()) world.addNode(`node-${index}`);
      world.kubernetes.create(gateway());
      // The first two come later, so that they would push out others if only the order of the text counted.
      const [first, second, ...early] = ips;
      world.addPool("web", { ips: early, publishTo: TO_EDGE });
      world.start();
      await world.until("sixteen are shown", () => shown(world).join() === early.join());
      world.edit("web", { ips });
      await is(world, "TooManyAddresses");
      expect(world.condition("web", "Published")).to.deep.include({ status: "True", reason: "TooManyAddresses" });
      expect(world.condition("web", "Published")?.message).to.include(`${first}, ${second}`);
      await world.until("an Event says so", () => world.events("TooManyAddresses").length > 0);
      await world.until("the pool is ready", () => world.condition("web", "Ready")?.status === "True");
      await world.rest();
      expect(shown(world)).to.deep.equal(early);
      const [gone = "", ...others] = early;
      world.edit("web", { ips: ips.filter((ip) => ip !== gone) });
      await world.until("the next takes its place", () => shown(world).join() === [first, ...others].sort().join());
      world.edit("web", { ips: others });
      await world.until("all are shown", () => world.condition("web", "Published")?.reason === "Observed");
      expect(shown(world)).to.deep.equal(others);
      expect(world.complaints).to.deep.equal([]);
    }));

  it("are withdrawn when no operator ran while their pool was deleted, and those of others stay", () =>
    inWorld(WITH_GATEWAYS, async (world) => {
      world.addNode("node-1");
      world.kubernetes.create(gateway());
      world.addPool("web", { ips: [address(world)], publishTo: TO_EDGE });
      const first = world.start();
      await world.until("it is shown", () => shown(world).length === 1);
      await first.stop();
      world.kubernetes.delete(world.refTo("web"));
      const second = world.start();
      await world.until("nothing is shown", () => shown(world).length === 0);
      await second.stop();
      await applyAsOther(world, [OTHER]);
      world.start();
      await world.rest();
      expect(shown(world)).to.deep.equal([OTHER]);
    }));

  it("need the annotation, and are withdrawn when it goes", () =>
    inWorld(WITH_GATEWAYS, async (world) => {
      world.addNode("node-1");
      const ip = address(world);
      world.addPool("web", { ips: [ip], publishTo: TO_EDGE });
      world.start();
      await is(world, "GatewayNotFound");
      world.kubernetes.create(gateway({}));
      await is(world, "GatewayNotAllowed");
      await world.until("an Event says so", () => world.events("GatewayNotAllowed").length > 0);
      await world.rest();
      expect(shown(world)).to.deep.equal([]);
      annotate(world, ALLOWING);
      await world.until("it is shown", () => shown(world).join() === ip);
      annotate(world, {});
      await world.until("it is withdrawn", () => shown(world).length === 0);
      await is(world, "GatewayNotAllowed");
    }));

  it("never replace those of another writer, and follow when these go", () =>
    inWorld(WITH_GATEWAYS, async (world) => {
      world.addNode("node-1");
      world.kubernetes.create(gateway());
      await applyAsOther(world, [OTHER]);
      const ip = address(world);
      world.addPool("web", { ips: [ip], publishTo: TO_EDGE });
      world.start();
      await is(world, "ForeignWriter");
      expect(world.condition("web", "Published")?.message).to.include('"gateway-controller"');
      await world.until("an Event says so", () => world.events("ForeignWriter").length > 0);
      await world.rest();
      expect(shown(world)).to.deep.equal([OTHER]);
      world.kubernetes.delete(world.refTo("web"));
      await world.rest();
      expect(shown(world), "after the pool was deleted").to.deep.equal([OTHER]);
      world.addPool("web", { ips: [ip], publishTo: TO_EDGE });
      await is(world, "ForeignWriter");
      await applyAsOther(world, []);
      await world.until("it is shown", () => shown(world).join() === ip);
    }));

  it("are tried again now and then, not all the time, while another writer owns the addresses", () =>
    inWorld(WITH_GATEWAYS, async (world) => {
      world.addNode("node-1");
      world.kubernetes.create(gateway());
      await applyAsOther(world, [OTHER]);
      world.addPool("web", { ips: [address(world)], publishTo: TO_EDGE });
      world.start();
      await is(world, "ForeignWriter");
      await world.until("an hour has passed", within(world, 3_600_000));
      const tries = world.logs.filter((line) => line.includes("Gateway default/edge shows"));
      expect(tries.length, "tries in an hour").to.be.within(4, 8);
    }));

  it("wait for the kind: the operator says that it is not installed, stays ready, and notices it", () =>
    inWorld({ flags: FLAGS }, async (world) => {
      world.addNode("node-1");
      const ip = address(world);
      world.addPool("web", { ips: [ip], publishTo: TO_EDGE });
      const { operator } = world.start();
      await is(world, "KindNotInstalled");
      await world.until("the address is served all the same", () => world.holder(ip) !== undefined);
      expect(world.condition("web", "Published")?.message).to.include("does not serve Gateway");
      await world.rest();
      expect(operator.health.report("readyz").ok, "readiness").to.equal(true);
      expect(world.complaints.filter((line) => line.includes("gateways"))).to.deep.equal([]);
      world.kubernetes.create(GATEWAY_DEFINITION);
      await is(world, "GatewayNotFound");
      world.kubernetes.create(gateway());
      await world.until("it is shown", () => shown(world).join() === ip);
    }));
});

function within({ clock }: World, ms: number): () => boolean {
  const end = clock.now() + ms;
  return () => clock.now() >= end;
}
