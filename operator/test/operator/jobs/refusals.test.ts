import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import type { Fault } from "flipop-sandbox/kubernetes";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { definitionsWithoutIntent, redefine } from "../process/older-definitions.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "./platform.js";

const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "rack" } };
const FIREWALL = { updateFirewall: JOB_SPEC };
const FLAGS = { features: "pools,dns,routedip,jobs", "job-namespaces": JOB_NAMESPACE, resync: "60" };

describe("operator in process: Jobs that may not be created, or asked about", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  async function runActions(options: Parameters<typeof RoutedWorld.create>[1] = {}, firewall: object = FIREWALL) {
    made = await RoutedWorld.create(["n1"], { ...options, flags: FLAGS });
    const platform = new JobPlatform(made.world);
    const spec = { updateRoutedIP: JOB_SPEC, ...firewall, allowedAddresses: ["192.0.2.0/24"] };
    made.world.kubernetes.create({ ...CLASS, spec });
    made.serve({ node: "n1" });
    return platform;
  }

  it("leave no doubt about an address: once the server takes them, one is created", async () => {
    const platform = await runActions();
    const { world } = made;
    const seen = new Set<string>();
    world.clock.onStep(() => seen.add(made.condition("a", "Accepted")));
    let refused = 0;
    world.kubernetes.setFaults(({ target, query }) => {
      const isJob = target?.plural === "jobs" && target.verb === "create" && !query.has("dryRun");
      if (!isJob || refused === 3) return undefined;
      refused += 1;
      return { kind: "status", code: 403, reason: "Forbidden" };
    });
    made.addRouted("a", { className: "rack" });
    world.start();
    await made.ready("a");

    expect(refused).to.equal(3);
    expect([...seen].filter((said) => said.includes("AddressUnknown"))).to.deep.equal([]);
    expect(platform.created).to.have.length(1);
  });

  const WITHOUT_EFFECT: readonly (readonly [string, Fault])[] = [
    ["the server refuses them", { kind: "status", code: 403, reason: "Forbidden" }],
    ["their quota changes meanwhile", { kind: "status", code: 409, reason: "Conflict" }],
    ["the server has no time for them", { kind: "status", code: 429, reason: "TooManyRequests" }],
  ];
  for (const [when, fault] of WITHOUT_EFFECT) {
    it(`leave no doubt about an address where ${when}: the intent goes, and one is created later`, async () => {
      const platform = await runActions({}, {});
      const { world } = made;
      let refused = 0;
      world.kubernetes.setFaults(({ target, query }) => {
        const isJob = target?.plural === "jobs" && target.verb === "create" && !query.has("dryRun");
        if (!isJob || refused === 8) return undefined;
        refused += 1;
        return fault;
      });
      made.addRouted("a", { className: "rack" });
      world.start();
      await made.ready("a");

      expect(refused).to.equal(8);
      expect(platform.created).to.have.length(1);
    });
  }

  it("are not created under a CRD that drops the intent, and are under the one of this release", async () => {
    const platform = await runActions({ definitions: definitionsWithoutIntent() });
    const { world } = made;
    made.addRouted("a", { className: "rack" });
    const { operator } = world.start();
    await made.until("Assigned reports it", () => made.condition("a", "Assigned").startsWith("False/CRDTooOld"));
    await made.until("Event", () => world.events("CRDTooOld").length > 0);
    expect(operator.health.report("readyz").text).to.include("CRD too old");
    await world.clock.sleep(20 * 60_000);
    expect(platform.assigning, "Jobs").to.equal(0);

    redefine(world.kubernetes);
    await made.ready("a");

    expect(platform.created).to.have.length(1);
  });

  it("hold no RoutedIP beyond the deadline of its cleanup where the server may not be asked what one said", async () => {
    const platform = await runActions();
    const { world } = made;
    let refused = 0;
    world.kubernetes.setFaults(({ target, query }) => {
      if (target?.plural !== "pods" || !query.has("labelSelector") || query.has("watch")) return undefined;
      if (platform.assigning === 0 || query.get("labelSelector")?.includes("controller-uid") !== true) return undefined;
      refused += 1;
      return { kind: "status", code: 403, reason: "Forbidden" };
    });
    made.addRouted("a", { className: "rack", routedIP: "192.0.2.1" });
    world.start();
    await made.until("a Job has begun", () => platform.assigning === 1);
    platform.end();
    await made.until("the server refuses", () => refused > 0);
    world.kubernetes.delete(made.refTo("a"));
    await made.until("gone", () => made.object("a") === undefined);
    expect(platform.assigning, "what is not known to have ended is not done again").to.equal(1);
  });
});
