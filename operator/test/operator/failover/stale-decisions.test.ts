import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const ASSIGN = /^POST \/v2\/reserved_ip(s|v6)\/[^/]+\/actions$/;
const CREATE_RECORD = /^POST \/v2\/domains\/[^/]+\/records$/;
/** So long a call waits inside the operator. */
const HELD = { kind: "status", status: 429, retryAfterSeconds: 20 } as const;

/** Each call is decided, held by a rate limit, and overtaken by a change that makes the decision wrong. */
describe("operator in process: a call that waited", function () {
  this.timeout(240_000);
  let world: World;
  let close: () => Promise<void>;

  const start = async (nodes: number) => {
    world = await World.create({ nodes });
    close = () => world.close();
  };
  const asked = (on: RegExp) => world.digitalocean.journal.calls({ on });
  const bodies = (on: RegExp, after = 0) =>
    world.digitalocean.journal.calls({ on, after }).map(({ body }) => body as Readonly<Record<string, unknown>>);
  const nodeOf = (droplet: unknown) =>
    ["node-1", "node-2", "node-3", "n1", "n2", "n3"].find((name) => {
      const spec = world.kubernetes.get({ apiVersion: "v1", kind: "Node", name })?.["spec"];
      return (spec as { readonly providerID?: string } | undefined)?.providerID === `digitalocean://${droplet}`;
    }) ?? "";

  afterEach(() => close());

  it("assigns nothing to a node that turned NotReady meanwhile, and picks another one", async () => {
    await start(3);
    const { ip } = world.digitalocean.state.addAddress();
    world.digitalocean.faults.inject(HELD, { on: ASSIGN });
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("the call is held", () => asked(ASSIGN).length === 1);
    const target = nodeOf(bodies(ASSIGN)[0]?.["droplet_id"]);
    world.setReady(target, false);
    const { mark } = world.digitalocean.journal;
    await world.fulfilled("web");
    expect(bodies(ASSIGN, mark).map((body) => nodeOf(body["droplet_id"]))).not.to.include(target);
    expect(world.status("web").ips?.[ip]?.nodeName).not.to.equal(target);
    expect(world.complaints, "it is no failure").to.deep.equal([]);
  });

  it("assigns nothing for a pool that does not want it any more", async () => {
    await start(2);
    const { ip } = world.digitalocean.state.addAddress();
    world.digitalocean.faults.inject(HELD, { on: ASSIGN });
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("the call is held", () => asked(ASSIGN).length === 1);
    world.edit("web", { paused: true });
    await world.clock.sleep(60_000);
    await world.rest();
    expect(asked(ASSIGN)).to.have.length(1);
    world.edit("web", { paused: false });
    await world.fulfilled("web");
  });

  it("keeps two accepted assignments of a pool apart for its cool-off, measured at the cloud", async () => {
    await start(4);
    const ips = [1, 2, 3, 4].map(() => world.digitalocean.state.addAddress().ip);
    world.digitalocean.faults.inject(HELD, { on: ASSIGN });
    world.addPool("web", { ips, assignmentCoolOffSeconds: 5 });
    world.start();
    await world.fulfilled("web");
    const at = asked(ASSIGN).flatMap((call) => (call.status === 201 ? [call.at] : []));
    expect(at).to.have.length(4);
    for (const [index, time] of at.slice(1).entries()) expect(time - (at[index] ?? 0)).to.be.at.least(5_000);
  });

  it("keeps the cool-off over a crash right after a call that was accepted late", async () => {
    await start(2);
    const ips = [1, 2].map(() => world.digitalocean.state.addAddress().ip);
    world.digitalocean.faults.inject(HELD, { on: ASSIGN });
    world.addPool("web", { ips, assignmentCoolOffSeconds: 15 });
    const first = world.start();
    const accepted = () => asked(ASSIGN).flatMap((call) => (call.status === 201 ? [call.at] : []));
    await new Promise<void>((resolve) => {
      world.digitalocean.journal.subscribe(() => {
        if (accepted().length === 1) resolve();
      });
    });
    await first.kill();
    world.start();
    await world.fulfilled("web");
    const [a = 0, b = 0] = accepted();
    expect(b - a).to.be.at.least(15_000);
  });

  it("publishes no address of a node that turned NotReady meanwhile", async () => {
    await start(3);
    world.digitalocean.faults.inject(HELD, { on: CREATE_RECORD });
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { zone: "example.com", recordName: "nodes" }, provider: "digitalocean", match: {} },
    });
    world.start({ features: "dns" });
    await world.until("the call is held", () => asked(CREATE_RECORD).length === 1);
    const address = bodies(CREATE_RECORD)[0]?.["data"];
    const nodes = ["node-1", "node-2", "node-3"];
    const [gone = ""] = nodes.filter((name) =>
      JSON.stringify(world.kubernetes.get({ apiVersion: "v1", kind: "Node", name })).includes(`"${String(address)}"`),
    );
    world.setReady(gone, false);
    const { mark } = world.digitalocean.journal;
    await world.until("the others are published", () => bodies(CREATE_RECORD, mark).length >= 2);
    await world.rest();
    expect(bodies(CREATE_RECORD, mark).map(({ data }) => data)).not.to.include(address);
  });

  it("moves no RoutedIP to a node whose endpoint is gone meanwhile", async () => {
    const made = await RoutedWorld.create(["n1", "n2"]);
    ({ world } = made);
    close = () => made.close();
    const { ip } = world.digitalocean.state.addAddress();
    world.digitalocean.faults.inject(HELD, { on: ASSIGN });
    made.addIssuer();
    made.addRouted("a", { routedIP: ip });
    made.serve({ node: "n1" });
    world.start();
    await world.until("the call is held", () => asked(ASSIGN).length === 1);
    made.serve({ node: "n2" });
    const { mark } = world.digitalocean.journal;
    await made.ready("a");
    expect(bodies(ASSIGN, mark).map((body) => nodeOf(body["droplet_id"]))).to.deep.equal(["n2"]);
  });
});
