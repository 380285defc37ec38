import type { HealthCheck } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import type { Probe } from "../../../src/health/probe.js";
import { LIST_MAX_AGE_SECONDS, SECOND_MS } from "../../../src/timings.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { hostOf, runKubelet } from "../kubelets.js";

const FLAGS = { features: "pools,dns,routedip,healthchecks" };
const NODES = ["n1", "n2"];

describe("operator in process: health checks of RoutedIPs", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let mute: Set<string>;
  let probed: Set<string>;
  let kubelets: Map<string, { alive: boolean }>;

  afterEach(() => made.close());

  const probe: Probe = ({ host }) => {
    probed.add(host);
    return Promise.resolve(mute.has(host) ? { ok: false, error: "no answer within 1 s" } : { ok: true });
  };

  /** The address is on n1, and n2 is a candidate. */
  async function serving(healthCheck: HealthCheck): Promise<void> {
    [mute, probed] = [new Set(), new Set()];
    made = await RoutedWorld.create(NODES, { speed: 100, probe, flags: FLAGS });
    kubelets = new Map(NODES.map((name) => [name, runKubelet(made.world, name)]));
    made.addIssuer();
    made.addRouted("a", { routedIP: made.world.digitalocean.state.addAddress().ip, healthCheck });
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    made.serve({ node: "n1" }, { node: "n2" });
    await made.until("the holder is probed", () => probed.size > 0);
  }

  it("moves the address off a holder that died silently, and not while its kubelet renews its Lease", async () => {
    await serving({ type: "TCP", port: 443 });
    mute.add(hostOf(made.world, "n1"));
    await made.until("the doubt", () => made.condition("a", "ProbesDoubted") === "True/LeaseRenewed");
    expect(made.status("a").failedProbes?.map(({ nodeName }) => nodeName)).to.deep.equal(["n1"]);
    await made.world.clock.sleep(60_000);
    expect(made.nodeOf("a")).to.equal("n1");
    (kubelets.get("n1") ?? { alive: true }).alive = false;
    await made.until("on n2", () => made.nodeOf("a") === "n2");
    await made.until("no doubt", () => made.condition("a", "ProbesDoubted") === "False/Observed");
  });

  it("leaves the address where a person puts it, though the probes of both nodes fail, while both kubelets live", async () => {
    await serving({ type: "TCP", port: 443 });
    for (const name of NODES) mute.add(hostOf(made.world, name));
    const failed = () => made.status("a").failedProbes?.map(({ nodeName }) => nodeName);
    await made.until("the probes of both fail", () => failed()?.join() === NODES.join());
    await made.until("the doubt", () => made.condition("a", "ProbesDoubted") === "True/LeaseRenewed");
    const { digitalocean } = made.world;
    const assigned = () => digitalocean.journal.count({ mutating: true, on: /reserved_ips/ });
    const moves = assigned();
    digitalocean.state.setHolder(made.status("a").routedIP ?? "", made.world.droplet("n2").id);
    await made.world.clock.sleep(2 * LIST_MAX_AGE_SECONDS * SECOND_MS);
    expect(assigned() - moves, "moves by the operator").to.equal(0);
    expect([made.nodeOf("a"), made.status("a").assignedNode]).to.deep.equal(["n2", "n2"]);
  });

  it("probes the pod of the Service on the node where the health check says so", async () => {
    const podIps = new Set(["10.1.0.1", "10.1.0.2"]);
    await serving({ type: "TCP", port: 443, address: "InternalIP" });
    expect([...probed]).to.include(hostOf(made.world, "n1"));
    for (const [index, node] of NODES.entries()) {
      const ref = { apiVersion: "v1", kind: "Pod", namespace: "default", name: `web-${node}` };
      const podIP = [...podIps][index];
      const edit = ({ status, ...pod }: Record<string, unknown>) => ({
        ...pod,
        status: { ...(status as object), podIP },
      });
      made.world.kubernetes.change(ref, edit as Parameters<typeof made.world.kubernetes.change>[1], "status");
    }
    const check = { type: "TCP", port: 443, address: "PodIP" };
    made.world.kubernetes.change(made.refTo("a"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), healthCheck: check },
    }));
    await made.until("its pod is probed", () => probed.has("10.1.0.1"));
  });
});
