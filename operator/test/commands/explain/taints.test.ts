import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { explainedCluster } from "./explained-cluster.js";

describe("flipop explain, of taints", () => {
  const shared = explainedCluster();

  it("gives the remedy of what it shows: a selector that no node can have, and a taint of the operator", async () => {
    const key = "flipop.digitalocean.com/until-assigned-fip.ingress.taints";
    shared.cluster.node("node-9", { labels: { pool: "late" }, taints: [{ key, effect: "NoSchedule" }] });
    shared.cluster.pool(
      "taints",
      { desiredIPs: 1, match: { nodeLabel: "pool=late", podNamespace: "ingress", podLabel: "a" } },
      {},
    );
    shared.cluster.pool("both", { desiredIPs: 1, match: { nodeLabel: "pool=work,pool=late" } }, {});
    const [node, both] = await Promise.all([
      shared.flipop.run("explain", "pool/taints", "node-9", "-n", "ingress"),
      shared.flipop.run("explain", "pool/both", "-n", "ingress"),
    ]);
    for (const name of ["taints", "both"])
      shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name });
    shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "node-9" });
    expect(node.out)
      .to.match(new RegExp(`taints +ok +${key} of the operator, for untilAssigned: pods must tolerate it`))
      .and.match(new RegExp(`NoPod +If the pods have no toleration for taint ${key}`))
      .and.match(/workload ready +-\n/);
    expect(both.out).to.match(/LabelsDiffer +Correct spec.match.nodeLabel, which no node can have/);
  });

  it("says how to correct a toleration that has the key of the taint, beside what to do about other taints", async () => {
    const match = { nodeLabel: "pool=work", tolerations: [{ key: "dedicated", effect: "NoSchedule" }] };
    shared.cluster.pool("near", { desiredIPs: 1, match }, {});
    const explained = async () =>
      (await shared.flipop.run("explain", "pool/near", "-n", "ingress")).out.split("What to do:")[1];
    const near = await explained();
    shared.cluster.node("node-9", { taints: [{ key: "gpu", effect: "NoSchedule" }] });
    const both = await explained();
    shared.kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "ingress", name: "near" });
    shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "node-9" });
    const own =
      /Tainted +Tolerate the taint in spec\.match\.tolerations \(its key, operator: Exists [^)]*\), or have the cluster's administrator remove the taint\.\n/;
    expect(near)
      .to.match(own)
      .and.not.match(/Tainted +Remove/);
    expect(both)
      .to.match(own)
      .and.match(/Tainted +Remove the taint/);
  });

  it("asks for no toleration of the taint of an elected node, unless the class lets it keep pods away", async () => {
    const key = "flipop.digitalocean.com/routed-ip";
    const explained = async (effect: string) => {
      shared.cluster.node("node-9", { labels: { pool: "late" }, taints: [{ key, effect }] });
      const { out } = await shared.flipop.run("explain", "pool/web", "node-9", "-n", "ingress");
      shared.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "node-9" });
      return out;
    };
    const preferred = await explained("PreferNoSchedule");
    const of = `${key} of the operator, for the elected node of a RoutedIP`;
    expect(preferred).to.match(new RegExp(`taints +ok +${of}: no pod has to tolerate it\n`));
    expect(preferred)
      .to.match(/NoPod +/)
      .and.not.include("untilAssigned")
      .and.not.include("add it");
    const hard = await explained("NoSchedule");
    expect(hard).to.match(new RegExp(`taints +ok +${of}: pods must tolerate it\n`));
    expect(hard).to.include(`no toleration for taint ${key} (electedNodeTaint), add it`);
  });
});
