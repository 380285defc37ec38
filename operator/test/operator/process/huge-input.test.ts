import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const NODE_1 = { apiVersion: "v1", kind: "Node", name: "node-1" };
/** Of all conditions, each with a few sentences; and of a line of the log. */
const LONGEST = 10_000;
/** Runs of all controllers in ten minutes of rest. */
const RUNS = 500;
const MANY = 1_000;

const many = <T>(make: (index: number) => T, count = MANY) => Array.from({ length: count }, (_, index) => make(index));
const record = (count: number, entry: (index: number) => readonly [string, string]) =>
  Object.fromEntries(many(entry, count));

describe("operator in process: input that is as large as Kubernetes allows", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  /** Rests for ten minutes, and expects few runs and short texts everywhere. */
  async function staysCalm(operator: ReturnType<World["start"]>["operator"], kind: string) {
    await world.rest();
    const before = runsIn(await operator.registry.text());
    await world.clock.sleep(600_000);
    expect(runsIn(await operator.registry.text()) - before, "runs").to.be.below(RUNS);
    for (const { metadata, status } of world.kubernetes.list(GROUP_VERSION, kind)) {
      const { conditions } = status as { readonly conditions: object };
      expect(JSON.stringify(conditions).length, metadata.name).to.be.below(LONGEST);
    }
    for (const line of world.logs) expect(line.length, line.slice(0, 200)).to.be.below(LONGEST);
  }

  it("a node with 256 KB of annotations, 2,000 labels and 1,000 taints is refused in one sentence", async () => {
    world = await World.create({ nodes: 2 });
    const annotations = record(64, (index) => [`example.com/a${index}`, "x".repeat(4_000)]);
    const labels = record(2_000, (index) => [`example.com/label-${index}`, "y".repeat(60)]);
    const taints = many((index) => ({ key: `example.com/t${index}`, value: "z".repeat(60), effect: "NoSchedule" }));
    world.change(NODE_1, "metadata", { annotations, labels });
    world.change(NODE_1, "spec", { taints });
    world.addPool("web", { ips: world.addAddresses(2) });
    const { operator } = world.start();
    await world.until("the other node serves", () => world.status("web").counts?.active === 1);
    await staysCalm(operator, "FloatingIPPool");
    const { message = "" } = world.condition("web", "Fulfilled") ?? {};
    expect(message).to.include("node-1: it has taints example.com/t0=").and.include("and 992 more");
    expect(world.events("TooFewCandidates").map(({ type }) => type)).to.deep.equal(["Warning"]);
  });

  const port = (protocol: string, more: object) => (index: number) => ({
    ...{ name: `port-${index}`, port: 10_000 + index, targetPort: 2_000 + index, protocol },
    ...more,
  });
  const SERVICES = {
    "ports that no node opens": { ports: many(port("TCP", {})), says: "do not open port port-0" },
    "ports of SCTP": { ports: many(port("SCTP", {})), says: "it cannot serve port port-0" },
    "more ports than a status lists": {
      ports: many((index) => ({ ...port("TCP", { targetPort: 443 })(index), nodePort: 20_000 + index })),
      says: "would have 259 inbound and outbound rules, at most 50 are possible",
    },
  };

  for (const [what, { ports, says }] of Object.entries(SERVICES)) {
    it(`a Service with 1,000 ${what} gets a condition that names the problem and shows a few`, async () => {
      const made = await RoutedWorld.create(["n1"]);
      world = made.world;
      made.addService("big", { ports });
      made.addIssuer({ maxPorts: 256 });
      made.addRouted("a", { serviceRef: { serviceName: "big" }, routedIP: world.digitalocean.state.addAddress().ip });
      made.serve({ node: "n1" });
      made.serveAs("big", "n1");
      const { operator } = world.start();
      await made.until(says, () => {
        const accepted = made.status("a").conditions?.find(({ type }) => type === "Accepted");
        return accepted?.status === "False" && accepted.message.includes(says);
      });
      const reason = made.condition("a", "Accepted").replace("False/", "");
      await made.until("a Warning", () => world.events(reason).some(({ type }) => type === "Warning"));
      await staysCalm(operator, "RoutedIP");
    });
  }
});

function runsIn(metrics: string): number {
  const lines = metrics.matchAll(/^controller_runtime_reconcile_total\{[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}
