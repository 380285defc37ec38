import { API_GROUP, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { NoProviderError } from "../../../src/providers/create.js";
import { World } from "../world.js";

const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const CREATE = /^POST \/v2\/reserved_ips$/;

describe("operator in process: rights and namespaces", function () {
  this.timeout(240_000);
  let world: World;

  const count = (on: RegExp) => world.digitalocean.journal.count({ on });

  afterEach(() => world.close());

  it("says in /readyz and in the log that it lacks a right; creates nothing, and moves what is there", async () => {
    world = await World.create({ nodes: 3 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], desiredIPs: 2 });
    const token = world.kubernetes.addIdentity("go-operator", [
      { verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] },
    ]);
    const { operator } = world.start({ features: "pools,dns" }, { token });
    await world.until("it is served", () => world.holder(ip) !== undefined);
    const readyz = () => operator.health.report("readyz").text;
    await world.until("/readyz reports it", () => readyz().includes("role too old"));
    expect(readyz()).to.include("floatingippools/status").and.include("apply the roles of this release");
    await world.until("logged", () => world.logs.some((line) => line.includes("Resources are served in part only")));
    expect(count(CREATE)).to.equal(0);
  });

  it("is ready again within a bound after it could not annotate a node, though no annotation is wanted any more", async () => {
    world = await World.create({ nodes: 1 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip] });
    const token = world.kubernetes.addIdentity("no-nodes", [
      { verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["patch"], apiGroups: [API_GROUP], resources: ["*"] },
      { verbs: ["create", "patch"], apiGroups: ["events.k8s.io"], resources: ["events"] },
    ]);
    const { operator } = world.start({ features: "pools,dns" }, { token });
    await world.until("/readyz reports it", () =>
      operator.health.report("readyz").text.includes("refuses PATCH of nodes"),
    );
    world.edit("web", { match: { nodeLabel: "no-node=has-it" } });
    await world.until("it is ready", () => operator.health.report("readyz").ok);
  });

  describe("without the right to read nodes any more", () => {
    const NODES = { verbs: ["list", "watch"], apiGroups: [""], resources: ["nodes"] };

    /** A pool that is served, and then no right to read nodes. @returns the right, to be given back */
    async function blinded() {
      world = await World.create({ nodes: 3 });
      const rules = [
        { verbs: ["*"], apiGroups: [API_GROUP, "events.k8s.io"], resources: ["*"] },
        { verbs: ["get", "list", "watch"], apiGroups: ["coordination.k8s.io"], resources: ["leases"] },
        { verbs: ["patch"], apiGroups: [""], resources: ["nodes"] },
        NODES,
      ];
      const token = world.kubernetes.addIdentity("flipop", rules);
      const [ip = ""] = world.addAddresses(1);
      world.addPool("web", { ips: [ip] });
      const { operator } = world.start({ features: "pools,dns" }, { token });
      await world.fulfilled("web");
      await world.rest();
      rules.pop();
      const readyz = () => operator.health.report("readyz").text;
      await world.until("/readyz reports it", () => readyz().includes("stale: nodes"));
      return { operator, readyz, grant: () => rules.push(NODES) };
    }

    it("says so in /readyz, in the metric and in the log, until it has it again", async () => {
      const { operator, readyz, grant } = await blinded();
      expect(readyz()).to.match(/stale: nodes since \S+Z \(.*403.*; grant list and watch of nodes\)/);
      expect(operator.health.report("healthz").ok, "a restart would not help").to.equal(true);
      expect(await operator.registry.text()).to.match(/flipop_cache_stale_seconds\{resource="nodes"\} [1-9]/);
      await world.until("logged", () => world.logs.some((line) => line.startsWith("error Caches are stale")));
      grant();
      await world.until("it is ready", () => operator.health.report("readyz").ok);
      expect(await operator.registry.text()).to.include('flipop_cache_stale_seconds{resource="nodes"} 0');
    });
  });

  it("refuses to start without any provider, unless issuers bring theirs", async () => {
    world = await World.create();
    const none = { env: {} };
    const assemble = () => world.assemble({ features: "pools,dns" }, none);
    expect(assemble).to.throw(NoProviderError, /DIGITALOCEAN_ACCESS_TOKEN/);
    const { operator, transport } = world.assemble({ features: "pools,routedip" }, none);
    expect(await operator.run(AbortSignal.abort())).to.equal(0);
    expect(world.logs.join("")).to.match(/no provider has a token.*"DIGITALOCEAN_ACCESS_TOKEN or /);
    await transport.close();
  });

  it("serves the namespaces of its configuration, and no other", async () => {
    world = await World.create({ nodes: 2 });
    for (const name of ["mine", "theirs"]) {
      world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      world.kubernetes.create({
        apiVersion: GROUP_VERSION,
        kind: "FloatingIPPool",
        metadata: { name: "web", namespace: name },
        spec: { provider: "digitalocean", ips: world.addAddresses(1) },
      });
    }
    world.start({ "watch-namespaces": "mine" });
    const statusIn = (namespace: string) => world.kubernetes.get({ ...world.refTo("web"), namespace })?.["status"];
    await world.until(
      "mine is served",
      () => count(ASSIGN) === 1 && Object.hasOwn(statusIn("mine") ?? {}, "conditions"),
    );
    await world.rest();
    expect(count(ASSIGN)).to.equal(1);
    expect(statusIn("theirs")).to.deep.equal({ observedGeneration: 0 });
  });

  it("reports that a pool's pods may not be read", async () => {
    world = await World.create({ nodes: 2 });
    world.addPool("web", { ips: world.addAddresses(1), match: { podNamespace: "theirs", podLabel: "app=web" } });
    world.start({ "pod-namespaces": "mine" });
    await world.until(
      "Accepted reports it",
      () => world.condition("web", "Accepted")?.reason === "NamespaceNotAllowed",
    );
    expect(world.digitalocean.journal.calls({ mutating: true })).to.be.empty;
  });
});
