/** What kubectl asks before it sends anything: discovery, and the schemas of kinds. */

import { expect } from "chai";
import { describe, it } from "mocha";
import { cells, failure, useKubectl } from "./kubectl.js";

const POOL_OBJECT = {
  apiVersion: "flipop.digitalocean.com/v1alpha1",
  kind: "FloatingIPPool",
  spec: { provider: "digitalocean", region: "nyc1", ips: ["192.0.2.3"] },
};

describe("kubectl and the schemas of the emulator", () => {
  const { kubectl } = useKubectl();

  it("applies a List, and refuses a typo in one of its items", async () => {
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "listed" } };
    const pool = { ...POOL_OBJECT, metadata: { name: "listed" } };
    const list = (items: readonly object[]) => JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const applied = await kubectl("apply -f -", list([config, pool]));
    expect(applied).to.contain("configmap/listed created").and.contain("/listed created");
    const typo = { ...pool, metadata: { name: "typo" }, spec: { ...pool.spec, reigon: "nyc3" } };
    const refused = await failure(kubectl("apply -f -", list([typo])));
    expect(refused).to.contain('unknown field "spec.reigon"');
  });
  it("explains a field of ours", async () => {
    const output = await kubectl("explain fip.spec.match");
    expect(output)
      .to.match(/KIND:\s+FloatingIPPool/)
      .and.contain("podLabel\t<string>");
  });
  it("explains all fields of ours", async () => {
    expect(await kubectl("explain nodedns --recursive")).to.contain("recordName");
  });
  for (const [path, field] of [
    ["pod.spec.containers", "livenessProbe\t<Probe>"],
    ["node.status.nodeInfo", "kubeletVersion\t<string>"],
    ["deployment.spec.strategy", "rollingUpdate\t<RollingUpdateDeployment>"],
    ["lease.spec", "renewTime\t<string>"],
    ["configmap", "data\t<map[string]string>"],
  ] as const) {
    it(`explains ${path}`, async () => {
      expect(await kubectl(`explain ${path}`)).to.contain(field);
    });
  }
  it("lists the resources of a group, and their versions", async () => {
    const output = await kubectl("api-resources --api-group=flipop.digitalocean.com --no-headers");
    expect(cells(output).map(([name]) => name)).to.deep.equal([
      "clusterroutedipclasses",
      "floatingippools",
      "nodednsrecordsets",
      "routedipissuers",
      "routedips",
    ]);
    expect(await kubectl("api-versions")).to.contain("flipop.digitalocean.com/v1alpha1");
  });
});
