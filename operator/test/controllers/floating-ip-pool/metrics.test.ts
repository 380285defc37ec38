import { expect } from "chai";
import { describe, it } from "mocha";
import { samplesOf, showAddresses } from "../../../src/controllers/floating-ip-pool/events.js";
import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import { flipopMetrics } from "../../../src/metrics/definitions.js";
import { MetricsRegistry, OwnSeries, StateSeries } from "../../../src/metrics/registry.js";
import { ModelCloud } from "./support/model-cloud.js";

const [A, B] = ["203.0.113.7", "203.0.113.8"];
const LABELS = { namespace: "default", name: "web", provider: "digitalocean", dns: "" };

/** Lines of one metric: the labels beside those of the pool, and the value. */
async function shown(cloud: ModelCloud, name: string): Promise<readonly string[]> {
  const registry = new MetricsRegistry();
  const metrics = flipopMetrics(registry);
  const made = plan(cloud.snapshot("web"));
  new OwnSeries().show(samplesOf(metrics, LABELS, made));
  showAddresses(metrics, new StateSeries(), LABELS, made);
  const text = await registry.text();
  const lines = [...text.matchAll(/^flipop_(?:floatingippoolcontroller_)?(\w+)\{(.*)\} (\S+)$/gm)];
  return lines
    .filter((line) => line[1] === name)
    .map(([, , labels = "", value]) => {
      const own = labels.split(",").filter((label) => !/^(namespace|name|provider|dns)=/.test(label));
      return [...own, value].join(" ").replaceAll('"', "");
    });
}

function cluster(nodes: readonly string[], spec: Parameters<ModelCloud["addPool"]>[1]): ModelCloud {
  const cloud = new ModelCloud();
  for (const name of nodes) cloud.addNode(name);
  cloud.addPool("web", spec);
  return cloud;
}

describe("the series of a pool", () => {
  it("count as unfulfilled what is desired and not acquired, as the Go operator does, wherever addresses are", async () => {
    const cloud = cluster([], { ips: [A, B], desiredIPs: 5 });
    expect(await shown(cloud, "unfulfilled_ips")).to.deep.equal(["3"]);
    expect(await shown(cluster([], { ips: [A, B] }), "unfulfilled_ips"), "without desiredIPs").to.deep.equal(["0"]);
    expect(await shown(cluster([], { ips: [A, B], desiredIPs: 1 }), "unfulfilled_ips"), "some disabled").to.deep.equal([
      "0",
    ]);
  });

  it("count desired addresses that are not active under a name of their own", async () => {
    expect(await shown(cluster([], { ips: [A, B], desiredIPs: 5 }), "inactive_ips")).to.deep.equal(["5"]);
    const held = cluster(["n1"], { ips: [A, B], desiredIPs: 5 });
    held.addresses.set(A, "digitalocean://n1");
    expect(await shown(held, "inactive_ips")).to.deep.equal(["4"]);
  });

  it("start at zero with the first look: counters of each address and every state", async () => {
    const cloud = cluster([], { ips: [A] });
    expect(await shown(cloud, "ip_assignments")).to.deep.equal([`ip=${A} 0`]);
    expect(await shown(cloud, "ip_assignment_errors")).to.deep.equal([`ip=${A} 0`]);
    expect(await shown(cloud, "ip_state")).to.have.members([
      `ip=${A} state=unassigned 1`,
      ...["active", "in-progress", "error", "no-match", "disabled"].map((state) => `ip=${A} state=${state} 0`),
    ]);
  });

  it("show the node that an address goes to while it moves, as the Go operator does", async () => {
    const cloud = cluster(["n1"], { ips: [A] });
    expect(await shown(cloud, "ip_state")).to.include(`ip=${A} state=in-progress 1`);
    expect(await shown(cloud, "ip_node")).to.deep.equal([`ip=${A} provider_id=digitalocean://n1 node=n1 1`]);
  });
});
