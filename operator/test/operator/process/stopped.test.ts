import { Annotation, type Condition, GROUP_VERSION, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "../jobs/platform.js";
import { World } from "../world.js";

const LEASE = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: "default", name: LEASE_NAME };

describe("an operator that flipop stop has stopped", function () {
  this.timeout(300_000);
  let world: World;

  afterEach(() => world.close());

  async function begin(flags: Readonly<Record<string, string>> = { "leader-elect": "true" }) {
    world = await World.create({ flags });
    for (const name of ["node-1", "node-2"]) world.addNode(name);
    world.addPool("web", {
      desiredIPs: 1,
      dnsRecordSet: { zone: "example.com", recordName: "www", ttl: 60 },
      reclaimPolicy: "Delete",
    });
    const running = world.start();
    await world.until("an active address", () => world.status("web").counts?.active === 1);
    await world.until("the record", () => ready()?.status === "True");
    return running;
  }

  async function beginWithoutElection(): Promise<void> {
    await begin({ "leader-elect": "false" });
    world.kubernetes.create({ ...LEASE, metadata: { name: LEASE_NAME, namespace: "default" } });
  }

  function annotate(reason: string | undefined) {
    world.kubernetes.change(LEASE, (object) => {
      const metadata = object["metadata"] as Record<string, unknown>;
      const annotations = reason === undefined ? {} : { [Annotation.stop]: reason };
      return { ...object, metadata: { ...metadata, annotations } } as typeof object;
    });
  }

  const ready = () => world.status("web").conditions?.find(({ type }) => type === "Ready");
  const holder = () => Object.values(world.status("web").ips ?? {})[0]?.nodeName ?? "";
  const writes = (after: number) => world.digitalocean.journal.count({ mutating: true, after });

  async function stop() {
    annotate("maintenance");
    await world.until("condition Ready reports it", () => ready()?.reason === "Stopped");
    return world.digitalocean.journal.mark;
  }

  it("reports it, makes no cloud or DNS write, and works again after resume", async () => {
    await begin();
    const from = await stop();
    expect(ready()).to.include({ status: "False" });
    expect(ready()?.message).to.equal(
      "the operator is stopped (maintenance): it changes no cloud and no DNS; fix: have the cluster's administrator run flipop resume, which removes annotation flipop.digitalocean.com/stop (any value stops the operator) from the Lease",
    );
    const down = holder();
    world.setReady(down, false);
    world.edit("web", { desiredIPs: 2 });
    await world.clock.sleep(600_000);
    expect(writes(from), "writes while stopped").to.equal(0);
    expect([holder(), ready()?.reason]).to.deep.equal([down, "Stopped"]);
    const [entry] = Object.values(world.status("web").ips ?? {});
    expect(entry?.error, "no person paused the pool").to.include("the operator is stopped (maintenance)");
    annotate(undefined);
    await world.until("a move", () => world.status("web").counts?.active === 1 && holder() !== down);
    expect(writes(from)).to.be.above(0);
  });

  it("stays stopped through a restart, before any write of the new process", async () => {
    const running = await begin();
    const from = await stop();
    await running.stop();
    world.setReady(holder(), false);
    world.start();
    await world.clock.sleep(120_000);
    expect(writes(from)).to.equal(0);
    expect(ready()?.reason).to.equal("Stopped");
  });

  it("stays stopped when the leader dies and another pod takes the Lease", async () => {
    const running = await begin();
    const second = world.start();
    const from = await stop();
    await running.kill();
    world.setReady(holder(), false);
    await world.clock.sleep(120_000);
    expect(writes(from)).to.equal(0);
    const lease = world.kubernetes.get(LEASE)?.["spec"] as { readonly holderIdentity?: string };
    expect(lease.holderIdentity).not.to.equal("");
    annotate(undefined);
    await world.until("a move by the new leader", () => writes(from) > 0);
    await second.stop();
  });

  it("honours it without leader election as well", async () => {
    await beginWithoutElection();
    const from = await stop();
    world.setReady(holder(), false);
    await world.clock.sleep(60_000);
    expect(writes(from)).to.equal(0);
  });

  it("reports it on every kind, and moves no address of a RoutedIP", async () => {
    const made = await RoutedWorld.create(["n1", "n2"], { flags: { "leader-elect": "true" } });
    world = made.world;
    made.addIssuer();
    made.addRouted("a", {});
    made.serve({ node: "n1" });
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "nodes", namespace: "default" } },
      spec: { dnsRecordSet: { zone: "example.com", recordName: "nodes" } },
    });
    world.start();
    await made.ready("a");
    annotate("");
    const readyOf = (kind: string) =>
      world.kubernetes
        .list(GROUP_VERSION, kind)
        .flatMap(({ status }) => (status as { conditions?: readonly Condition[] } | undefined)?.conditions ?? [])
        .filter(({ type }) => type === "Ready");
    for (const kind of ["RoutedIP", "RoutedIPIssuer", "NodeDNSRecordSet"]) {
      await world.until(kind, () => readyOf(kind).some(({ reason }) => reason === "Stopped"));
    }
    const from = world.digitalocean.journal.mark;
    world.setReady("n1", false);
    await world.clock.sleep(120_000);
    expect(writes(from)).to.equal(0);
    expect(readyOf("RoutedIP")[0]?.message).to.equal(
      "the operator is stopped: it changes no cloud and no DNS; fix: have the cluster's administrator run flipop resume, which removes annotation flipop.digitalocean.com/stop (any value stops the operator) from the Lease",
    );
  });

  it("cleans nothing up for a resource that is deleted meanwhile, until it is resumed", async () => {
    // Three hours of renewals take a minute.
    await beginWithoutElection();
    const from = await stop();
    const addresses = () => world.digitalocean.state.addresses().length;
    const before = addresses();
    world.kubernetes.delete(world.refTo("web"));
    // Longer than a cleanup is tried: the time of a stop does not count.
    world.clock.speed = 3_600;
    await world.clock.sleep(3 * 3_600_000);
    world.clock.speed = 600;
    expect(writes(from), "writes while stopped").to.equal(0);
    expect([addresses(), world.kubernetes.get(world.refTo("web"))?.metadata.name]).to.deep.equal([before, "web"]);
    annotate(undefined);
    await world.until("the cleanup", () => world.kubernetes.get(world.refTo("web")) === undefined);
    expect(addresses()).to.equal(before - 1);
  });

  it("starts no Job for a RoutedIP, and reports the class as stopped, too", async () => {
    const features = { features: "pools,dns,routedip,jobs", "job-namespaces": JOB_NAMESPACE };
    const made = await RoutedWorld.create(["n1", "n2"], { flags: { "leader-elect": "true", ...features } });
    world = made.world;
    const platform = new JobPlatform(world);
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "rack" } },
      spec: { updateRoutedIP: JOB_SPEC, updateFirewall: JOB_SPEC, allowedAddresses: ["192.0.2.0/24"] },
    });
    made.serve({ node: "n1" });
    made.addRouted("a", { className: "rack", routedIP: "192.0.2.1" });
    world.start();
    await made.until("assigned by Jobs", () => made.status("a").assignedNode === "n1" && platform.jobs.length === 0);
    annotate("");
    const reasons = () =>
      world.kubernetes
        .list(GROUP_VERSION, "ClusterRoutedIPClass")
        .flatMap(({ status }) => (status as { conditions?: readonly Condition[] }).conditions ?? [])
        .filter(({ type }) => type === "Ready")
        .map(({ reason }) => reason);
    await made.until("the RoutedIP reports it", () => made.condition("a", "Ready") === "False/Stopped");
    await made.until("the class reports it", () => reasons().includes("Stopped"));
    const begun = platform.begun;
    made.serve({ node: "n2" });
    await world.clock.sleep(10 * 60_000);
    expect([platform.begun, platform.jobs.length], "Jobs while stopped").to.deep.equal([begun, 0]);
    annotate(undefined);
    await made.until("a move by Jobs", () => made.status("a").assignedNode === "n2");
  });

  it("shows metric flipop_stopped", async () => {
    const { operator } = await begin();
    expect(await operator.registry.text()).to.include("flipop_stopped 0");
    await stop();
    expect(await operator.registry.text()).to.include("flipop_stopped 1");
  });
});
