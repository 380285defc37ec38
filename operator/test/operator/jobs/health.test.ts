import { Annotation, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { MASS_FAILURE_WINDOW_MS, MINUTE_MS } from "../../../src/timings.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { hostOf, runKubelet } from "../kubelets.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "./platform.js";

const FLAGS = { namespace: "flipop", features: "routedip,jobs,healthchecks", "job-namespaces": JOB_NAMESPACE };
const NODES = ["n1", "n2", "n3"];

describe("operator in process: health checks of RoutedIPs whose class works by Jobs", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let platform: JobPlatform;
  let mute: Set<string>;

  /** n1 has the address. */
  async function begin(flags: Readonly<Record<string, string>> = {}): Promise<void> {
    mute = new Set();
    const probe = ({ host }: { readonly host: string }) =>
      Promise.resolve(mute.has(host) ? { ok: false as const, error: "no answer within 1 s" } : { ok: true as const });
    made = await RoutedWorld.create(NODES, { speed: 100, probe, flags: { ...FLAGS, ...flags } });
    for (const name of NODES) runKubelet(made.world, name);
    platform = new JobPlatform(made.world);
    made.world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "rack" } },
      spec: { updateRoutedIP: JOB_SPEC, allowedAddresses: ["192.0.2.0/24"] },
    });
    made.serve({ node: "n1" });
    made.addRouted("a", {
      ...{ className: "rack", routedIP: "192.0.2.1", healthCheck: { type: "TCP", port: 443 } as const },
    });
    made.world.start();
    await made.until("n1 has the address", () => made.status("a").assignedNode === "n1");
  }

  afterEach(() => made.close());

  const assigned = () => platform.done.filter((what) => what.startsWith("assign"));

  it("leaves the address on a node whose probes failed before its Job ended, while its kubelet lives", async () => {
    await begin();
    const before = platform.assigning;
    made.serve({ node: "n2" }, { node: "n3" });
    await made.until("a Job moves it", () => platform.assigning > before);
    const goal = made.status("a").attemptedNodes?.at(-1)?.name ?? "";
    expect(goal, "the node that the Job is for").to.be.oneOf(["n2", "n3"]);
    mute.add(hostOf(made.world, goal));
    const failed = () => made.status("a").failedProbes?.map(({ nodeName }) => nodeName);
    await made.until("its probes fail before the Job ends", () => failed()?.join() === goal);
    expect(assigned()).to.deep.equal(["assign n1"]);
    await made.until("it has the address", () => made.status("a").assignedNode === goal);
    await made.world.clock.sleep(120_000);
    expect(assigned()).to.deep.equal(["assign n1", `assign ${goal}`]);
    expect(made.condition("a", "ProbesDoubted")).to.equal("True/LeaseRenewed");
  });

  /** Holders of other RoutedIPs: n1, n4 and n5 have an address each then. */
  async function threeHolders(): Promise<void> {
    const { world } = made;
    for (const [name, node] of Object.entries({ b: "n4", c: "n5" })) {
      made.addNode(node);
      runKubelet(world, node);
      made.addService(`for-${name}`);
      made.serveAs(`for-${name}`, node);
      made.addRouted(name, {
        ...{ className: "rack", routedIP: name === "b" ? "192.0.2.2" : "192.0.2.3" },
        serviceRef: { serviceName: `for-${name}` },
      });
      await made.until(`${node} has its address`, () => made.status(name).assignedNode === node);
    }
    made.serve({ node: "n1" }, { node: "n2" }, { node: "n3" });
  }

  /** n4 and n5: no other node serves their Services. */
  async function twoFail(): Promise<void> {
    for (const node of ["n4", "n5"]) made.world.setReady(node, false);
    const seen = () => ["b", "c"].every((name) => made.status(name).graceSince !== undefined);
    await made.until("the operator has seen it", seen);
  }

  it("leaves the address where it is while most holders fail at once and nothing confirms it", async () => {
    await begin();
    await threeHolders();
    const before = assigned().length;
    await twoFail();
    made.world.setReady("n1", false);
    await made.until("the stop is shown", () => made.condition("a", "MassFailure") === "True/MassFailure");
    expect(made.status("a")).to.include({ assignedNode: "n1", reason: "MassFailure" });
    await made.world.clock.sleep(MASS_FAILURE_WINDOW_MS / 2);
    expect(assigned()).to.have.length(before);
    await made.until("it moves after the window", () => ["n2", "n3"].includes(made.status("a").assignedNode ?? ""));
    await made.until("the stop is over", () => made.condition("a", "MassFailure").startsWith("False"));
  });

  it("moves the address at once where a person says that the nodes are down", async () => {
    await begin();
    await threeHolders();
    const annotations = { [Annotation.ignoreMassFailure]: "true" };
    made.world.change(made.refTo("a"), "metadata", { annotations });
    const at = made.world.clock.now();
    await twoFail();
    made.world.setReady("n1", false);
    await made.until("it moves", () => ["n2", "n3"].includes(made.status("a").assignedNode ?? ""));
    expect(made.world.clock.now() - at).to.be.lessThan(MASS_FAILURE_WINDOW_MS);
  });

  it("keeps to the limit of moves of the whole operator, and counts a move once", async () => {
    await begin({ "max-moves-per-minute": "1" });
    await threeHolders();
    const at = made.world.clock.now();
    made.serve({ node: "n2" }, { node: "n3" });
    made.serveAs("for-b", "n1");
    made.serveAs("for-c", "n1");
    const states = () => ["a", "b", "c"].map((name) => made.status(name));
    await made.until("a limit is reported", () => states().some(({ reason }) => reason === "MoveLimit"));
    const moved = () => states().filter(({ assignedNode = "" }) => ["n1", "n2", "n3"].includes(assignedNode)).length;
    await made.until("two have moved", () => moved() === 2);
    expect(made.world.clock.now() - at).to.be.at.least(MINUTE_MS);
    expect(assigned(), "three first Jobs, and one for each move").to.have.length(5);
    await made.until("no limit is left", () => states().every(({ reason }) => reason !== "MoveLimit"));
  });
});
