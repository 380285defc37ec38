/** Replicas of this release and of the previous one in one rollout, in both directions, under the CRDs of either. */

import { ALL_KINDS, type AnyKind, type FloatingIPPoolSpec, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type Client, createEndpointSlice, createService, eventually, FakePod, skip } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import type { Machine } from "./support/fleet.js";
import { CRDS, installKinds } from "./support/install.js";
import type { OperatorProcess } from "./support/operator-process.js";
import { buildPrevious, type Previous, previousMissing } from "./support/previous.js";
import type { PoolResource } from "./support/resource.js";
import { spare } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

/** Short, and still long enough for a busy machine to renew it in time. */
const FLAGS = [
  "--leader-elect-lease-duration=6",
  "--leader-elect-renew-deadline=5",
  "--leader-elect-retry-period=0.3",
  "--resync=1",
];
/** Fields that the previous release does not know. */
const NEW_FIELDS: Partial<FloatingIPPoolSpec> = { holderLabel: true, maxMovesPerMinute: 60 };
const MOVE_MS = 2_000;
const POOLS_CRD = `${CRDS}/floatingippools.flipop.digitalocean.com`;

type Release = "this" | "previous";

/** Waits until the schema keeps a field, or drops it. */
async function inForce(client: Client, field: object, kept: boolean): Promise<void> {
  const path = `/apis/${GROUP_VERSION}/namespaces/default/floatingippools`;
  const spec = { provider: "digitalocean", ips: ["192.0.2.1"], ...field };
  const pool = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", metadata: { name: "skew" }, spec };
  const [name = ""] = Object.keys(field);
  const keeps = async () => name in (await client.create<typeof pool>(path, pool, { dryRun: "All" })).body.spec;
  await eventually(async () => (await keeps()) === kept, { what: `the schema to ${kept ? "keep" : "drop"} ${name}` });
}

async function useKinds(client: Client, kinds: readonly AnyKind[], knowsNewFields: boolean): Promise<void> {
  await installKinds(client, kinds);
  await inForce(client, { maxMovesPerMinute: 60 }, knowsNewFields);
}

/** The definition of pools as a later release may have it: one more field, which the server adds to each pool. */
async function useLaterKinds(client: Client): Promise<void> {
  const added = { type: "string", default: "later" };
  const path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/future";
  await client.must.patch(POOLS_CRD, [{ op: "add", path, value: added }], "json");
  await inForce(client, { future: "later" }, true);
}

function object(kind: string, name: string, spec: object): object {
  return { apiVersion: GROUP_VERSION, kind, metadata: { name }, spec };
}

describe("replicas of two releases", function () {
  this.timeout(180_000);
  let previous: Previous;

  before(function () {
    const missing = previousMissing();
    if (missing !== undefined) skip(this, missing);
  });
  const worlds = useWorlds({
    own: true,
    prepare: async (plane) => {
      previous = await buildPrevious();
      await useKinds(plane.client(), ALL_KINDS, true);
    },
  });

  const launch = (world: World, release: Release) =>
    world.launch(FLAGS, release === "this" ? undefined : previous.executable);
  const standby = async (world: World, release: Release) => {
    const process = await launch(world, release);
    await process.until("it to stand by", async () => (await process.lines("standing by")).length > 0);
    return process;
  };
  /** The process that was launched last leads, and has nothing left to do. */
  const restsUnder = async (world: World, pool: PoolResource, leader: OperatorProcess) => {
    await leader.leads();
    await world.rounds(2);
    await pool.is("Fulfilled", "True");
    await pool.is("DNSReady", "True");
  };
  const scene = async () => {
    const world = await worlds.create({ digitalocean: { durations: { assign: MOVE_MS } } });
    await world.fleet.addAll(["a", "b", "c"]);
    const ips = spare(world, 2);
    const pool = await world.pool("web", { ips, dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    return { world, pool, ips };
  };
  const moves = ({ clouds }: World) => clouds.digitalocean.journal.count({ on: ROUTES.act });
  const serves = (pool: PoolResource) =>
    pool.says("the key of the label", ({ holderLabel }) => holderLabel !== undefined);

  it("hand the Lease to each other in a rollout and its rollback: nothing moves, and no field gets lost", async () => {
    const { world, pool } = await scene();
    let leader = await launch(world, "previous");
    await restsUnder(world, pool, leader);
    const mark = world.clouds.mark();
    const takeOver = async (release: Release) => {
      const next = await standby(world, release);
      await world.stop(leader);
      leader = next;
      await leader.leads();
      await world.rounds(2);
    };
    await takeOver("this");
    await restsUnder(world, pool, leader);
    await pool.edit(NEW_FIELDS);
    await serves(pool);
    const { spec } = await pool.get();
    const { holderLabel } = await pool.status();
    // It refuses fields that it does not know, and leaves everything where it is.
    await takeOver("previous");
    expect((await pool.get()).spec, "spec").to.deep.equal(spec);
    expect((await pool.status()).holderLabel, "a part of the status").to.equal(holderLabel);
    await takeOver("this");
    await restsUnder(world, pool, leader);
    expect((await pool.get()).spec).to.deep.equal(spec);
    expect(world.changes(mark), "changes in the clouds").to.deep.equal([]);
    expect(moves(world), "each address was assigned once").to.equal(2);
  });

  for (const [first, second] of [
    ["previous", "this"],
    ["this", "previous"],
  ] as const) {
    it(`move nothing twice: ${second} release finishes what a killed leader of ${first} release began`, async () => {
      const { world, pool, ips } = await scene();
      const leader = await launch(world, first);
      const next = await standby(world, second);
      await world.until("the assignments to run", () => world.clouds.digitalocean.state.runningActions.length === 2);
      await world.kill(leader);
      await restsUnder(world, pool, next);
      expect(moves(world), "no assignment is made twice").to.equal(2);
      const again = await standby(world, first);
      await world.fleet.holderOf(ips[0] ?? "")?.node.setReady(false);
      await world.until("the move to run", () => world.clouds.digitalocean.state.runningActions.length === 1);
      await world.kill(next);
      await restsUnder(world, pool, again);
      expect(moves(world), "nor is the move").to.equal(3);
    });
  }

  /** The issuer stands in the operator's namespace and so uses its token. */
  const routed = async (world: World, node: Machine) => {
    const { client, namespace, install, clouds } = world;
    // Without a firewall of its own, the operator would not add the node to another one.
    clouds.digitalocean.state.firewalls.add({ name: "base", dropletIds: [node.dropletId] });
    const at = { name: "game", namespace };
    await createService(client, { ...at, selector: { app: "game" } });
    const ports = [{ containerPort: 80, hostPort: 80 }];
    const spec = { containers: [{ name: "game", image: "example.invalid/none", ports }] };
    const pod = await FakePod.create(client, { namespace, nodeName: node.name, labels: { app: "game" }, spec });
    const endpoints = [{ ip: pod.ip, nodeName: node.name }];
    await createEndpointSlice(client, { ...at, name: "game-1", service: "game", endpoints });
    const issuer = { provider: "digitalocean", region: "nyc3", routedIPFirewallName: "ingress" };
    const issuers = `/apis/${GROUP_VERSION}/namespaces/${install.namespace}/routedipissuers`;
    const classes = `/apis/${GROUP_VERSION}/clusterroutedipclasses`;
    const made = { issuer: `${issuers}/digitalocean`, class: `${classes}/${namespace}` };
    await client.must.create(issuers, object("RoutedIPIssuer", "digitalocean", issuer));
    const issuerRef = { name: "digitalocean", namespace: install.namespace };
    await client.must.create(classes, object("ClusterRoutedIPClass", namespace, { issuerRef }));
    const resource = await world.routedIP("game", {
      className: namespace,
      serviceRef: { serviceName: "game" },
      dnsRecordSet: { zone: DOMAIN, recordName: "game" },
    });
    const remove = async () => {
      for (const path of [resource.path, made.issuer, made.class]) {
        await client.must.patch(path, { metadata: { finalizers: null } });
        await client.must.delete(path);
      }
    };
    // A class of this release says which names may use the operator's token; the previous one knows no such field.
    const allowName = () => client.must.patch(made.class, { spec: { allowedNames: [`game.${DOMAIN}`] } });
    return { resource, remove, allowName };
  };

  it("keep pools, record sets and RoutedIPs where they are in an upgrade and on the way back", async () => {
    await useKinds(worlds.plane.client(), previous.kinds, false);
    const { world, pool } = await scene();
    let leader = await launch(world, "previous");
    await restsUnder(world, pool, leader);
    // The pool has its nodes: it takes none that serves the RoutedIP.
    const node = await world.fleet.add("d");
    const set = await world.recordSet("nodes", { dnsRecordSet: { zone: DOMAIN, recordName: "nodes" } });
    const game = await routed(world, node);
    const rests = async (release: Release) => {
      await restsUnder(world, pool, leader);
      await set.is("DNSReady", "True");
      for (const type of ["Assigned", "FirewallReady", "DNSReady"] as const) await game.resource.is(type, "True");
      if (release === "this") for (const one of [pool, set, game.resource]) await one.is("Ready", "True");
      await world.rounds(2);
    };
    await rests("previous");
    const mark = world.clouds.mark();
    const names = ["www", "nodes", "game"].map((name) => world.clouds.published(name));
    for (const release of ["this", "previous", "this"] as const) {
      await useKinds(world.client, release === "this" ? ALL_KINDS : previous.kinds, release === "this");
      if (release === "this") await game.allowName();
      const next = await standby(world, release);
      await world.stop(leader);
      leader = next;
      await rests(release);
      expect(world.changes(mark), `changes in the clouds by ${release} release`).to.deep.equal([]);
    }
    expect(["www", "nodes", "game"].map((name) => world.clouds.published(name))).to.deep.equal(names);
    await game.remove();
  });

  it("serve under CRDs that change while they run: the operator's, later ones, and older ones, which drop fields", async () => {
    const { world, pool } = await scene();
    const first = await launch(world, "this");
    await restsUnder(world, pool, first);
    const mark = world.clouds.mark();
    const { spec } = await pool.get();
    await useLaterKinds(world.client);
    await pool.edit({ gracePeriodSeconds: 1, future: "used" });
    await restsUnder(world, pool, first);
    // An open watch shows no fields of definitions that came after it.
    const leader = await standby(world, "this");
    await world.stop(first);
    await restsUnder(world, pool, leader);
    await pool.is("Ready", "True");
    expect((await pool.get()).spec).to.deep.include({ future: "used" });
    await pool.until("Accepted to name the field", async () => {
      return (
        (await pool.conditionOf("Accepted"))?.message.includes("spec.future: this release of the operator") === true
      );
    });
    await useKinds(world.client, previous.kinds, false);
    await pool.edit({ gracePeriodSeconds: 0 });
    await restsUnder(world, pool, leader);
    const older = await standby(world, "previous");
    await world.stop(leader);
    await restsUnder(world, pool, older);
    await useKinds(world.client, ALL_KINDS, true);
    await restsUnder(world, pool, older);
    const last = await standby(world, "this");
    await world.stop(older);
    await restsUnder(world, pool, last);
    expect((await pool.get()).spec).to.deep.equal(spec);
    expect(world.changes(mark), "changes in the clouds").to.deep.equal([]);
    const { resourceVersion } = (await pool.get()).metadata;
    await world.rounds(3);
    expect((await pool.get()).metadata.resourceVersion, "no write at rest").to.equal(resourceVersion);
  });
});
