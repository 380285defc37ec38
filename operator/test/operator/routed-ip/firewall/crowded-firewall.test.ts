import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../../../controllers/routed-ip/routed-world.js";

const MANY = 40;
/** Answers of a slow cloud: read one by one, the machines take longer than a reading of a firewall counts. */
const CLOUD_MS = 2_000;
/** Of the clock. */
const LONGEST_MS = 600_000;
/** Of firewalls, and of machines. */
const MOST_READS = 15;
/** Of real time. */
const PATIENCE_MS = 240_000;

describe("operator in process: many RoutedIPs that wait for one firewall", function () {
  this.timeout(300_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it(`${MANY} at once, on machines that a tag puts behind another firewall, all serve soon, and those that serve stay Ready`, async () => {
    made = await RoutedWorld.create([]);
    const { digitalocean, kubernetes, clock } = made.world;
    digitalocean.state.firewalls.add({ name: "tagged", tags: ["k8s"] });
    const nodes = Array.from({ length: MANY }, (_, index) => `n${index}`);
    for (const name of nodes) made.world.addNode(name, { tags: ["k8s"] });
    made.addIssuer();
    made.addService("all", {
      type: "NodePort",
      ports: [{ port: 443, targetPort: 443, nodePort: 443, protocol: "TCP" }],
    });
    made.serveAs("all", ...nodes);
    made.world.start();
    await made.until("the issuer is ready", () => made.condition("do", "Ready", "RoutedIPIssuer").startsWith("True"));
    digitalocean.faults.inject({ kind: "delay", ms: CLOUD_MS }, { times: Number.POSITIVE_INFINITY });
    const [after, from] = [digitalocean.journal.mark, clock.now()];
    const names = nodes.map((node) => `of-${node}`);
    const lost = new Set<string>();
    const served = new Set<string>();
    const seen = new Set<string>();
    kubernetes.onRequest(() => {
      for (const name of names) {
        const isReady = made.condition(name, "Ready").startsWith("True");
        const { message } = made.status(name).conditions?.find(({ type }) => type === "FirewallReady") ?? {};
        if (message?.includes("one call after the other")) seen.add("a call waits for its turn");
        if (isReady) served.add(name);
        else if (served.has(name)) lost.add(`${name} ${made.condition(name, "Ready")}`);
      }
    });
    for (const name of names) {
      const { ip } = digitalocean.state.addAddress();
      made.addRouted(name, { serviceRef: { serviceName: "all" }, routedIP: ip });
    }
    await made.until(
      "all serve, or it takes too long",
      () => {
        return served.size === MANY || clock.now() - from > LONGEST_MS;
      },
      PATIENCE_MS,
    );
    expect(served.size, "those that serve").to.equal(MANY);
    expect([...lost]).to.deep.equal([]);
    expect([...seen]).to.deep.equal(["a call waits for its turn"]);
    const calls = digitalocean.journal.count({ after, on: /\/v2\/(firewalls|droplets)/ });
    expect(calls, "each machine joins once; what covers them is read together").to.be.at.most(MANY + MOST_READS);
    const machines = digitalocean.state.firewalls.all().filter(({ config }) => config.name.startsWith(FIREWALL));
    expect(machines.map(({ config }) => config.dropletIds.length)).to.deep.equal([10, 10, 10, 10]);
  });
});
