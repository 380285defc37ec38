import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { explainedCluster } from "./explained-cluster.js";

const IP = "203.0.113.91";
const AT_ONCE =
  "gracePeriodSeconds is 0: when the node or its pods are not ready, an address leaves its node at once if another node can take it";
const UNCOVERED =
  "gracePeriodSeconds (300 s) does not cover Cordoned, Tainted: then an address leaves its node at once if another node can take it; it covers NodeNotReady, NodeUnwell, NoPod, PodNotReady, ProbeFailed";

describe("flipop explain of a grace period", () => {
  const shared = explainedCluster();

  afterEach(() => {
    shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "g" });
  });

  function pool(spec: object, holder = "node-1"): void {
    const status = { [IP]: { state: "active", nodeName: holder } };
    shared.cluster.pool("g", { ips: [IP], region: "nyc3", ...spec }, status);
  }

  async function explained(...node: readonly string[]): Promise<string> {
    return (await shared.flipop.run("explain", "pool/g", ...node, "-n", "ingress")).out;
  }

  it("says that there is none, and what that means", async () => {
    pool({});
    const note = `  ${AT_ONCE}; a higher value gives them that time to recover\n`;
    expect(await explained()).to.include(note);
    expect(await explained("node-1"), "the holder").to.include(note);
    expect(await explained("node-7"), "its pod is not ready").to.include(note);
    expect(await explained("node-3"), "no address is on it").not.to.include("gracePeriodSeconds");
    expect(await explained("node-4"), "a cordon moves addresses anyway").not.to.include("gracePeriodSeconds");
  });

  it("says of nodes that are meant which of their refusals the period does not cover", async () => {
    pool({ gracePeriodSeconds: 300 });
    expect(await explained()).to.include(`  ${UNCOVERED}\n`);
    expect(await explained("node-4")).to.include(`  ${UNCOVERED.replace(", Tainted", "")}\n`);
    expect(await explained("node-3"), "it matches").not.to.include("gracePeriodSeconds");
    expect(await explained("node-7"), "no address is on it").not.to.include("gracePeriodSeconds");
  });

  it("says of a holder that the period covers its refusal, or does not", async () => {
    pool({ gracePeriodSeconds: 300 }, "node-7");
    expect(await explained("node-7")).to.include(
      "  gracePeriodSeconds (300 s) covers PodNotReady: the node keeps its address for this time, as it may recover\n",
    );
    shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "g" });
    pool({ gracePeriodSeconds: 300 }, "db-1");
    expect(await explained("db-1")).to.include("  gracePeriodSeconds (300 s) does not cover LabelsDiffer: ");
  });

  it("says nothing where no refusal concerns it, and while the pool is paused", async () => {
    pool({ gracePeriodSeconds: 300, match: { nodeLabel: "pool=db" } }, "db-1");
    expect(await explained()).not.to.include("gracePeriodSeconds");
    shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "g" });
    pool({ paused: true });
    expect(await explained()).not.to.include("gracePeriodSeconds");
  });

  it("speaks of nodes alone where no pod is asked for", async () => {
    pool({ match: { nodeLabel: "pool=db" } }, "db-1");
    expect(await explained()).to.include(
      "  gracePeriodSeconds is 0: when the node is not ready, an address leaves its node at once if another node can take it; a higher value gives it that time to recover\n",
    );
  });
});
