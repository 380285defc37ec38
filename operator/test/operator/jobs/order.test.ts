import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "./platform.js";

const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "rack" } };
const FLAGS = { features: "pools,dns,routedip,jobs", "job-namespaces": JOB_NAMESPACE };
const IP = "192.0.2.1";

describe("operator in process: the order of the Jobs of a class", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let platform: JobPlatform;
  let first: ReturnType<RoutedWorld["world"]["start"]>;
  /** Moments at which the address was on a node whose port was closed. */
  let closed: string[];

  afterEach(() => made.close());

  async function begin(spec: object = { updateFirewall: JOB_SPEC }): Promise<void> {
    made = await RoutedWorld.create(["n1", "n2", "n3"], { flags: FLAGS });
    platform = new JobPlatform(made.world);
    closed = [];
    const settings = { updateRoutedIP: JOB_SPEC, allowedAddresses: ["192.0.2.0/24"], ...spec };
    made.world.kubernetes.create({ ...CLASS, spec: settings });
    made.serve({ node: "n1" });
    made.addRouted("a", { className: "rack", routedIP: IP });
    made.world.clock.onStep(() => {
      const holder = platform.holder(IP);
      if (holder !== undefined && !openOn(holder)) closed.push(`${platform.done.join(", ")}: ${holder}`);
    });
    first = made.world.start();
  }

  const openOn = (machine: string) => {
    return platform.rules.some(({ port, nodes }) => port === 443 && nodes.some((node) => node.providerID === machine));
  };
  const settledOn = async (node: string) => {
    await made.until(`settled on ${node}`, () => {
      const up = ["Ready", "Assigned", "FirewallReady"].every((type) => made.condition("a", type).startsWith("True"));
      return up && made.status("a").assignedNode === node && platform.jobs.length === 0;
    });
  };
  const moveTo = (node: string) => made.serve({ node });

  it("opens the ports of the elected node, then assigns, then closes those of the previous node", async () => {
    await begin();
    await settledOn("n1");
    expect(platform.done).to.deep.equal(["open n1", "assign n1"]);
    moveTo("n2");
    await settledOn("n2");
    expect(platform.done.slice(2)).to.deep.equal(["open n1 n2", "assign n2", "open n2"]);
    expect(closed).to.deep.equal([]);
  });

  it("assigns first with firewallPostAllow, then opens the ports of the node", async () => {
    await begin({ updateFirewall: JOB_SPEC, firewallPostAllow: true });
    await settledOn("n1");
    moveTo("n2");
    await settledOn("n2");
    expect(platform.done).to.deep.equal(["assign n1", "open n1", "assign n2", "open n2"]);
  });

  it("assigns without a firewall Job where the class has none", async () => {
    await begin({});
    await settledOn("n1");
    moveTo("n2");
    await settledOn("n2");
    expect(platform.done).to.deep.equal(["assign n1", "assign n2"]);
  });

  it("keeps the address where its ports are open while the firewall Job fails, and reports the failure", async () => {
    await begin();
    await settledOn("n1");
    platform.outcome = (purpose) => (purpose === "firewall" ? "fails" : "succeeds");
    moveTo("n2");
    await made.until("reported", () => made.condition("a", "FirewallReady") === "False/JobFailed");
    await made.until("not ready", () => made.condition("a", "Accepted") === "False/JobFailed");
    await made.world.clock.sleep(10 * 60_000);
    expect(platform.done, "no Job assigns").to.deep.equal(["open n1", "assign n1"]);
    expect(made.status("a").assignedNode).to.equal("n1");
    platform.outcome = () => "succeeds";
    await settledOn("n2");
    expect(closed).to.deep.equal([]);
  });

  it("keeps both nodes open after a Job that moved the address and failed, also across a restart", async () => {
    await begin();
    await settledOn("n1");
    platform.outcome = (purpose) => (purpose === "assign" ? "fails late" : "succeeds");
    moveTo("n2");
    await made.until("moved by a Job that failed", () => platform.done.at(-1) === "assign n2");
    // Neither the former node nor the one of the failed Job serves now: a third one is elected.
    platform.outcome = (purpose) => (purpose === "assign" ? "fails" : "succeeds");
    moveTo("n3");
    await made.until("the third one is open", () => platform.done.at(-1)?.includes("n3") === true);
    expect(platform.done.at(-1)).to.equal("open n1 n2 n3");
    await first.stop();
    made.world.start();
    await made.world.clock.sleep(5 * 60_000);
    platform.outcome = () => "succeeds";
    await settledOn("n3");
    expect(platform.done.slice(-2)).to.deep.equal(["assign n3", "open n3"]);
    expect(closed).to.deep.equal([]);
  });

  it("follows a changed spec: another address, and another Service", async () => {
    await begin();
    await settledOn("n1");
    const edit = (spec: object) =>
      made.world.kubernetes.change(made.refTo("a"), (object) => ({
        ...object,
        spec: { ...(object["spec"] as object), ...spec },
      }));
    edit({ routedIP: "192.0.2.9" });
    await made.until("the other address is assigned", () => made.status("a").routedIP === "192.0.2.9");
    expect(platform.holder("192.0.2.9")).to.equal(platform.holder(IP));
    await settledOn("n1");
    made.addService("other", { type: "NodePort", ports: [{ port: 443, targetPort: 443, nodePort: 443 }] });
    made.serveAs("other", "n3");
    edit({ serviceRef: { serviceName: "other" } });
    await settledOn("n3");
    expect(platform.done.slice(-3)).to.deep.equal(["open n1 n3", "assign n3", "open n3"]);
  });

  it("reports within 15 s why the pod of a Job cannot start, fails the Job after 60 s, and goes on once it can", async () => {
    await begin();
    await settledOn("n1");
    const { clock } = made.world;
    platform.cannotStart = 'secret "cloud" not found';
    const from = clock.now();
    moveTo("n2");
    const seen = (text: string) => JSON.stringify(made.status("a").conditions).includes(text);
    await made.until("reported", () => made.condition("a", "Accepted") === "False/JobRefused");
    expect(clock.now() - from).to.be.lessThan(15_000);
    expect(seen("CreateContainerConfigError: secret")).to.equal(true);
    await made.until("failed", () => made.condition("a", "Accepted") === "False/JobFailed");
    expect(clock.now() - from).to.be.within(59_000, 80_000);
    expect(seen("did not start within 60 s")).to.equal(true);
    platform.cannotStart = undefined;
    await settledOn("n2");
    expect(closed).to.deep.equal([]);
  });

  it("of a class with two RoutedIPs opens what one needs while the other one moves", async () => {
    await begin();
    await settledOn("n1");
    made.addRouted("b", { className: "rack", routedIP: "192.0.2.2" });
    made.serve({ node: "n1" }, { node: "n2" }, { node: "n3" });
    await made.ready("b");
    for (const node of ["n2", "n3"]) {
      made.serve({ node }, { node: "n1" });
      await made.world.clock.sleep(30_000);
      made.serve({ node: "n1" }, { node: "n2" }, { node: "n3" });
      await made.world.clock.sleep(30_000);
    }
    for (const name of ["a", "b"]) await made.ready(name);
    expect(closed).to.deep.equal([]);
    expect(platform.clashes).to.deep.equal([]);
  });
});
