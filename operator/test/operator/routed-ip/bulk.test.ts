import { expect } from "chai";
import { describe, it } from "mocha";
import { Engine } from "../../../src/reconcile/engine.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

/**
 * Of each RoutedIP. DigitalOcean creates 12 addresses a minute, so that each takes 5 s. In these minutes a RoutedIP that waits
 * for its turn runs whenever another one gets its address.
 */
const MOST = { nodePatches: 2, cloudCalls: 8, writes: 15, seconds: 6, runs: 100 };
/** Answers of a real API server and a real cloud take this long. */
const KUBE_MS = 30;
const CLOUD_MS = 200;
/** Nodes of an issuer whose firewall has room for all of them. */
const PER_FIREWALL = 9;

/** Half a minute on an idle machine; on a busy one, the clock of the test slows down with it. */
const LONGEST_MS = 840_000;

type Cost = typeof MOST;

interface Bulk {
  readonly count: number;
  readonly port: number;
  /** RoutedIPs of one issuer. */
  readonly perIssuer: number;
}

/** A Service on every node, and as many RoutedIPs for it as there are nodes, all at once. */
async function createAll({ count, port, perIssuer }: Bulk): Promise<Cost> {
  const nodes = Array.from({ length: count }, (_, index) => `n${index}`);
  const made = await RoutedWorld.create(nodes, { quota: count });
  const { digitalocean, kubernetes, clock } = made.world;
  const issuerOf = (index: number) => `issuer-${Math.floor(index / perIssuer)}`;
  const { run } = Engine.prototype;
  try {
    const firewalls = new Set(nodes.map((_, index) => issuerOf(index)));
    for (const name of firewalls) made.addIssuer({ routedIPFirewallName: name }, "default", name);
    made.addService("all", {
      type: "NodePort",
      ports: [{ port: 80, targetPort: 80, nodePort: port, protocol: "TCP" }],
    });
    made.serveAs("all", ...nodes);
    made.world.start();
    await made.until("issuers are ready", () =>
      [...firewalls].every((name) => made.condition(name, "Ready", "RoutedIPIssuer").startsWith("True")),
    );
    const counts = { nodePatches: 0, writes: 0, runs: 0 };
    Engine.prototype.run = function (state) {
      counts.runs += 1;
      return run.call(this, state);
    };
    kubernetes.setFaults(({ method, path }) => {
      if (method === "GET") return undefined;
      if (path.startsWith("/api/v1/nodes/")) counts.nodePatches += 1;
      if (path.includes("/routedips/")) counts.writes += 1;
      return { kind: "delay", ms: KUBE_MS };
    });
    digitalocean.faults.inject({ kind: "delay", ms: CLOUD_MS }, { times: Number.POSITIVE_INFINITY });
    const [after, from] = [digitalocean.journal.mark, clock.now()];
    for (const index of nodes.keys()) {
      made.addRouted(`a${index}`, { issuerRef: { name: issuerOf(index) }, serviceRef: { serviceName: "all" } });
    }
    const serves = (index: number) =>
      made.condition(`a${index}`, "Ready").startsWith("True") && made.status(`a${index}`).state === "active";
    await made.until("all serve", () => [...nodes.keys()].every(serves), LONGEST_MS);
    const seconds = (clock.now() - from) / 1000;
    const cloudCalls = digitalocean.journal.count({ after });
    await made.world.rest();
    expect(new Set([...nodes.keys()].map((index) => made.nodeOf(`a${index}`)))).to.have.length(count);
    expect(digitalocean.state.addresses()).to.have.length(count);
    return { ...counts, cloudCalls, seconds };
  } finally {
    Engine.prototype.run = run;
    await made.close();
  }
}

describe("operator in process: many RoutedIPs created at once", function () {
  this.timeout(900_000);

  const cases: readonly (readonly [string, Bulk])[] = [
    ["25 behind firewalls", { count: 25, port: 80, perIssuer: PER_FIREWALL }],
    ["50 behind firewalls", { count: 50, port: 80, perIssuer: PER_FIREWALL }],
    ["50 of one issuer, behind its firewall and additional ones", { count: 50, port: 80, perIssuer: 50 }],
    ["100 that need no firewall", { count: 100, port: 30_080, perIssuer: PER_FIREWALL }],
  ];
  for (const [what, bulk] of cases) {
    it(`${what} cost at most ${MOST.nodePatches} node patches, ${MOST.cloudCalls} cloud calls and ${MOST.runs} runs each`, async () => {
      const cost = await createAll(bulk);
      const each = Object.entries(cost).map(([name, total]) => [name, total / bulk.count] as const);
      for (const [name, share] of each)
        expect(share, `${name} of ${JSON.stringify(cost)}`).to.be.at.most(MOST[name as keyof Cost]);
    });
  }
});
