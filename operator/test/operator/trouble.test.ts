import { Annotation, API_GROUP, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { NoProviderError } from "../../src/operator.js";
import { World, type WorldOptions } from "./world.js";

const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const CREATE = /^POST \/v2\/reserved_ips$/;

describe("operator in process: trouble", function () {
  this.timeout(240_000);
  let world: World;

  const start = async (nodes: number, options: WorldOptions = {}) => {
    world = await World.create(options);
    for (let number = 1; number <= nodes; number++) world.addNode(`node-${number}`);
  };
  const addresses = (count: number) => Array.from({ length: count }, () => world.digitalocean.state.addAddress().ip);
  const warnings = () => {
    const events = world.kubernetes.list("events.k8s.io/v1", "Event").filter(({ type }) => type === "Warning");
    return events.map(({ reason, message }) => `${reason}: ${message}`);
  };
  const count = (on: RegExp) => world.digitalocean.journal.count({ on });

  afterEach(() => world.close());

  for (const when of ["before", "after"] as const) {
    it(`creates nothing twice when the answer to a creation is lost ${when} it was processed`, async () => {
      await start(1);
      world.digitalocean.faults.inject({ kind: "reset", when }, { on: CREATE });
      world.addPool("web", { desiredIPs: 1 });
      world.start();
      await world.fulfilled("web");
      expect(world.digitalocean.state.addresses()).to.have.length(1);
      expect(count(CREATE)).to.equal(when === "before" ? 2 : 1);
      expect(world.status("web")).not.to.have.property("pendingCreation");
    });
  }

  it("creates nothing twice in a region, where only the lists can tell", async () => {
    await start(0);
    world.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on: CREATE });
    world.addPool("web", { desiredIPs: 2 });
    world.start();
    await world.until("both are known", () => world.status("web").createdIPs?.length === 2);
    await world.rest();
    expect(world.digitalocean.state.addresses()).to.have.length(2);
  });

  it("tries again after an outage, and moves the others meanwhile", async () => {
    await start(3);
    const [stuck = "", free = ""] = addresses(2);
    const broken = new RegExp(`^POST /v2/reserved_ips/${stuck}/actions$`);
    const fault = world.digitalocean.faults.inject({ kind: "status", status: 503 }, { on: broken, times: Infinity });
    world.addPool("web", { ips: [stuck, free] });
    world.start();
    await world.until("the other one is up", () => world.status("web").ips?.[free]?.state === "active");
    await world.until("an error is told", () => world.status("web").ips?.[stuck]?.state === "error");
    expect(world.condition("web", "Accepted")).to.include({ status: "False", reason: "ProviderUnavailable" });
    fault.cancel();
    await world.fulfilled("web");
    await world.until("well", () => world.condition("web", "Accepted")?.status === "True");
    expect(world.status("web").ips?.[stuck]).not.to.have.property("error");
  });

  it("goes to another node at once when one can't hold an address", async () => {
    await start(2);
    const [ip = ""] = addresses(1);
    world.digitalocean.state.startEvent(world.droplet("node-1").id, "power_cycle", 3_600_000);
    world.addPool("web", { ips: [ip], nodePreference: "Name" });
    world.start();
    await world.fulfilled("web");
    expect(world.status("web").ips?.[ip]?.nodeName).to.equal("node-2");
    expect(world.status("web").nodeErrors).to.deep.equal(["node-1"]);
  });

  it("does not take an action that ended errored for one that is done", async () => {
    await start(1);
    const [ip = ""] = addresses(1);
    world.digitalocean.state.failActions();
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("told", () => world.status("web").ips?.[ip]?.state === "error");
    expect(world.holder(ip)).to.equal(undefined);
    expect(world.annotations("node-1")).to.deep.equal({});
    await world.fulfilled("web");
    expect(count(ASSIGN)).to.equal(2);
    await world.until("an Event", () => warnings().some((text) => text.includes("provider's action failed")));
  });

  it("keeps a node to which a former process moves an address from other pools", async () => {
    // So slow that the move lasts until the next process decides.
    await start(2, { speed: 2 });
    const [moving = "", next = ""] = addresses(2);
    world.addPool("web", { ips: [moving], nodePreference: "Name" });
    const previous = world.start();
    await world.until("it moves", () => world.status("web").ips?.[moving]?.actionID !== undefined);
    await previous.kill();
    world.addPool("other", { ips: [next], nodePreference: "Name" });
    world.start();
    for (const pool of ["other", "web"]) await world.fulfilled(pool);
    expect(world.digitalocean.journal.calls({ on: ASSIGN }).map(({ status }) => status)).to.deep.equal([201, 201]);
  });

  it("says that the token is refused, and goes on with the next good one", async () => {
    await start(2);
    const [ip = ""] = addresses(1);
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.fulfilled("web");
    const before = world.holder(ip);
    world.digitalocean.tokens.revoke(world.digitalocean.token);
    world.setReady(world.status("web").ips?.[ip]?.nodeName ?? "", false);
    await world.until("told", () => world.condition("web", "ProviderReachable")?.reason === "Unauthorized");
    expect(world.condition("web", "Accepted")?.status).to.equal("False");
    world.digitalocean.tokens.add({ name: "default", secret: world.digitalocean.token });
    await world.until("moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    await world.until("reachable", () => world.condition("web", "ProviderReachable")?.status === "True");
  });

  it("steps back when somebody else takes its address away again and again", async () => {
    await start(1);
    const [ip = ""] = addresses(1);
    const other = world.digitalocean.state.addDroplet({ name: "elsewhere" });
    world.addPool("web", { ips: [ip] });
    world.start();
    let assigned = 0;
    for (let times = 0; times < 3; times++) {
      await world.until("assigned", () => world.holder(ip) !== undefined && world.holder(ip) !== idOf(other.id));
      await world.until("told", () => world.status("web").ips?.[ip]?.state === "active");
      assigned = count(ASSIGN);
      await world.clock.sleep(40_000);
      world.digitalocean.state.setHolder(ip, other.id);
      if (times < 2) await world.until("seen", () => count(ASSIGN) > assigned);
    }
    await world.until("contested", () => world.condition("web", "Conflict")?.reason === "ForeignWriter");
    await world.clock.sleep(4 * 60_000);
    expect(count(ASSIGN)).to.equal(assigned);
  });

  it("says what is wrong with a spec that an older schema let pass, and serves the others", async () => {
    await start(2, { definitions: [] });
    installLoosely(world);
    const [ip = ""] = addresses(1);
    world.addPool("selector", { ips: [ip], match: { nodeLabel: "a in (" } });
    world.addPool("provider", { provider: "nobody", ips: ["203.0.113.1"] });
    world.addPool("type", { ips: ["203.0.113.2"], desiredIPs: "two" as unknown as number });
    world.addPool("empty", {});
    world.addPool("none", {}, { spec: null });
    world.addPool("good", { ips: addresses(1) });
    world.start();
    await world.fulfilled("good");
    const reasons = {
      selector: "Invalid",
      provider: "UnknownProvider",
      type: "Invalid",
      empty: "Invalid",
      none: "Invalid",
    };
    for (const [name, reason] of Object.entries(reasons)) {
      await world.until(`${name} is told`, () => world.condition(name, "Accepted")?.reason === reason);
      expect(world.status(name).error, name).to.be.a("string");
    }
    expect(world.holder(ip)).to.equal(undefined);
  });

  it("removes annotations of owners that are gone, and those that name no owner and are wrong", async () => {
    await start(3);
    const [ip = "", elsewhere = ""] = addresses(2);
    const owner = "default/gone/0000";
    world.annotate("node-1", { [Annotation.reservedIpv4]: "203.0.113.9", [Annotation.reservedIpv4Owner]: owner });
    world.annotate("node-2", { [Annotation.reservedIpv4]: elsewhere });
    world.annotate("node-3", { [Annotation.reservedIpv4]: ip, other: "kept" });
    world.digitalocean.state.setHolder(ip, world.droplet("node-3").id);
    world.start();
    await world.until("cleaned", () => Object.keys(world.annotations("node-1")).length === 0);
    await world.until("cleaned", () => Object.keys(world.annotations("node-2")).length === 0);
    await world.rest();
    expect(world.annotations("node-3")).to.deep.equal({ [Annotation.reservedIpv4]: ip, other: "kept" });
  });

  it("leaves annotations alone whose owners it does not look after", async () => {
    await start(2);
    const [ip = ""] = addresses(1);
    world.addPool("web", { ips: [ip] });
    const first = world.start();
    await world.fulfilled("web");
    const holder = world.status("web").ips?.[ip]?.nodeName ?? "";
    const other = holder === "node-1" ? "node-2" : "node-1";
    const before = world.annotations(holder);
    expect(before).to.have.property(Annotation.reservedIpv4Owner);
    await first.stop();
    // As the Go operator leaves one: without an owner, and of an address that is elsewhere by now.
    const stale = { [Annotation.reservedIpv4]: ip };
    world.annotate(other, stale);
    world.start({ features: "dns" });
    await world.clock.sleep(60_000);
    await world.rest();
    expect(world.annotations(holder)).to.deep.equal(before);
    expect(world.annotations(other)).to.deep.equal(stale);
  });

  it("waits for the account, not for each address, when nothing is answered", async () => {
    await start(2);
    const [ip = ""] = addresses(1);
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.fulfilled("web");
    const outage = { kind: "status", status: 503 } as const;
    const fault = world.digitalocean.faults.inject(outage, { on: /./, times: Infinity });
    const holder = world.status("web").ips?.[ip]?.nodeName ?? "";
    world.setReady(holder, false);
    await world.until("told", () => world.condition("web", "ProviderReachable")?.status === "False");
    await world.clock.sleep(120_000);
    const assigned = count(ASSIGN);
    const { revision } = world.kubernetes;
    await world.clock.sleep(60_000);
    expect(count(ASSIGN), "no move is tried meanwhile").to.equal(assigned);
    expect(world.kubernetes.revision, "nothing new is written").to.equal(revision);
    expect(world.status("web").ips?.[ip]).not.to.have.property("retryAt");
    expect(warnings(), "one outage is told once").to.have.length(1);
    fault.cancel();
    await world.until("moved", () => ![holder, undefined].includes(world.status("web").ips?.[ip]?.nodeName));
    await world.until("well", () => world.condition("web", "Accepted")?.status === "True");
  });

  it("says that a node stands for no machine, where an address does not get there", async () => {
    await start(0);
    const [ip = ""] = addresses(1);
    const machine = world.addNode("ghost");
    world.digitalocean.state.deleteDroplet(world.droplet("ghost").id);
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("told", () => world.status("web").ips?.[ip]?.state === "error");
    const entry = world.status("web").ips?.[ip];
    expect(entry?.reason).to.equal("NoCandidate");
    expect(entry?.error).to.include("ghost").and.include(machine).and.include("correct the node's providerID");
    await world.until("an Event", () => warnings().length > 0);
    await world.clock.sleep(120_000);
    expect(warnings(), "told once, and the address is not blamed").to.have.length(1);
    expect(warnings()[0]).to.match(/^NoCandidate: .*node ghost/);
  });

  it("says in /readyz and in the log that it lacks a right; creates nothing, and moves what is there", async () => {
    await start(3);
    const [ip = ""] = addresses(1);
    world.addPool("web", { ips: [ip], desiredIPs: 2 });
    const token = world.kubernetes.addIdentity("go-operator", [
      { verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] },
    ]);
    const { operator } = world.start({ features: "pools,dns" }, { token });
    await world.until("it is served", () => world.holder(ip) !== undefined);
    const told = () => operator.health.report("readyz").text;
    await world.until("told", () => told().includes("role too old"));
    expect(told()).to.include("floatingippools/status").and.include("apply the roles of this release");
    await world.until("logged", () => world.logs.some((line) => line.includes("Resources are served in part only")));
    expect(count(CREATE)).to.equal(0);
  });

  it("is ready again within a bound after it could not annotate a node, though no annotation is wanted any more", async () => {
    await start(1);
    const [ip = ""] = addresses(1);
    world.addPool("web", { ips: [ip] });
    const token = world.kubernetes.addIdentity("no-nodes", [
      { verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["patch"], apiGroups: [API_GROUP], resources: ["*"] },
      { verbs: ["create", "patch"], apiGroups: ["events.k8s.io"], resources: ["events"] },
    ]);
    const { operator } = world.start({ features: "pools,dns" }, { token });
    await world.until("told", () => operator.health.report("readyz").text.includes("refuses PATCH of nodes"));
    world.edit("web", { match: { nodeLabel: "nobody=has-it" } });
    await world.until("it is ready", () => operator.health.report("readyz").ok);
  });

  it("changes nothing on a dry run, and shows the plan of each resource once", async () => {
    await start(2);
    world.digitalocean.state.dns.addDomain("example.com");
    const dnsRecordSet = { provider: "digitalocean", zone: "example.com", recordName: "www" };
    const { id } = world.droplet("node-1");
    world.addPool("web", {
      ips: [world.digitalocean.state.addAddress({ dropletId: id }).ip],
      desiredIPs: 2,
      dnsRecordSet,
    });
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { ...dnsRecordSet, recordName: "nodes" } },
    });
    const { revision } = world.kubernetes;
    world.start({ "dry-run": "true", resync: "5" });
    const plans = () => world.logs.filter((line) => line.startsWith("info dry run: plan"));
    await world.until("it has planned", () => plans().length >= 2);
    await world.rest();
    expect(world.kubernetes.revision).to.equal(revision);
    expect(world.digitalocean.journal.calls({ mutating: true })).to.be.empty;
    expect(new Set(plans()).size, plans().join("\n")).to.equal(plans().length);
    const [pool, set] = ["FloatingIPPool/default/web", "NodeDNSRecordSet/default/nodes"].map((resource) =>
      plans()
        .filter((line) => line.includes(`"resource":"${resource}"`))
        .join("\n"),
    );
    expect(pool).to.include("create-address: ").and.include("apply-records: ");
    expect(set).to.include("apply-records: ");
    expect(world.logs.filter((line) => /^info .*(not sent|cloud mutation|no Event)/.test(line))).to.deep.equal([]);
  });

  for (const verb of ["create-address", "assign"] as const) {
    it(`plans on a dry run for each of two pools that share the nodes: ${verb}`, async () => {
      await start(3);
      const wants = (count: number) => (verb === "assign" ? { ips: addresses(count) } : { desiredIPs: count });
      world.addPool("first", wants(1));
      await world.clock.sleep(2_000);
      world.addPool("second", wants(2));
      world.start({ "dry-run": "true", resync: "5" });
      const planOf = (pool: string) => {
        const own = (line: string) => line.startsWith("info dry run: plan") && line.includes(`/default/${pool}"`);
        return world.logs.filter(own).join("\n");
      };
      await world.until("both are planned", () => planOf("first") !== "" && planOf("second") !== "");
      await world.rest();
      const planned = (pool: string) => planOf(pool).match(new RegExp(`"${verb}: [^"]*`, "g")) ?? [];
      // A pool creates one address after the other.
      expect(planned("first"), planOf("first")).to.have.length(1);
      expect(planned("second"), planOf("second")).to.have.length(verb === "assign" ? 2 : 1);
      const nodes = [...planned("first"), ...planned("second")].flatMap((change) => change.match(/node-\d/g) ?? []);
      expect(new Set(nodes).size, "no node twice").to.equal(nodes.length);
    });
  }

  it("refuses to start without any provider, unless issuers bring theirs", async () => {
    await start(0);
    const none = { env: {} };
    const assemble = () => world.assemble({ features: "pools,dns" }, none);
    expect(assemble).to.throw(NoProviderError, /DIGITALOCEAN_ACCESS_TOKEN/);
    const { operator, transport } = world.assemble({ features: "pools,routedip" }, none);
    expect(await operator.run(AbortSignal.abort())).to.equal(0);
    expect(world.logs.join("")).to.match(/no provider has a token.*"DIGITALOCEAN_ACCESS_TOKEN or /);
    await transport.close();
  });

  it("serves the namespaces of its configuration, and no other", async () => {
    await start(2);
    for (const name of ["mine", "theirs"]) {
      world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      world.kubernetes.create({
        apiVersion: GROUP_VERSION,
        kind: "FloatingIPPool",
        metadata: { name: "web", namespace: name },
        spec: { provider: "digitalocean", ips: addresses(1) },
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
    await start(2);
    world.addPool("web", { ips: addresses(1), match: { podNamespace: "theirs", podLabel: "app=web" } });
    world.start({ "pod-namespaces": "mine" });
    await world.until("told", () => world.condition("web", "Accepted")?.reason === "NamespaceNotAllowed");
    expect(world.digitalocean.journal.calls({ mutating: true })).to.be.empty;
  });
});

function idOf(droplet: number): string {
  return `digitalocean://${droplet}`;
}

/** A definition that lets anything pass and keeps all. */
function installLoosely({ kubernetes }: World): void {
  const names = [
    ["FloatingIPPool", "floatingippools"],
    ["NodeDNSRecordSet", "nodednsrecordsets"],
  ] as const;
  for (const [kind, plural] of names) {
    kubernetes.create({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.flipop.digitalocean.com` },
      spec: {
        group: "flipop.digitalocean.com",
        scope: "Namespaced",
        names: { kind, plural, singular: plural.slice(0, -1), listKind: `${kind}List` },
        versions: [
          {
            name: "v1alpha1",
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    });
  }
}
