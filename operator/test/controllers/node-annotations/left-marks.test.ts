import { HOLDER_LABEL_PREFIX, UNTIL_ASSIGNED_PREFIX } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { isKeyOf, NodeMarks } from "../../../src/addresses/marks/holder-labels-and-taints.js";
import {
  leftMarksOn,
  nodesWithLeftMarks,
  ownerOfMark,
  removeLeftMark,
} from "../../../src/controllers/node-annotations/left-marks.js";
import type { KubeClient, KubeRequest } from "../../../src/kube/client.js";
import type { KubeObject } from "../../../src/kube/objects.js";
import { NodeDirectory } from "../../../src/match/node-directory.js";
import { nodeFacts } from "../../../src/match/node-facts.js";
import { GROUP_PATH } from "../../../src/reconcile/resource-source.js";
import { slimNode } from "../../match/cluster.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const LABEL = `${HOLDER_LABEL_PREFIX}fip.default.web`;
const CUT = `${UNTIL_ASSIGNED_PREFIX}fip.default.${"x".repeat(20)}_0123456789abcdef`;

/** @param stored at the server; the cache has none */
function setUp(stored: readonly KubeObject[]) {
  const requests: KubeRequest[] = [];
  const request = (sent: KubeRequest) => {
    requests.push(sent);
    return Promise.resolve({ metadata: { resourceVersion: "1" }, items: stored });
  };
  const client = { request, open: () => Promise.reject(new Error("no watch")) } as unknown as KubeClient;
  const node = { ...slimNode("n1"), taints: [{ key: CUT, effect: "NoSchedule" }] };
  const nodes = new NodeDirectory([node]);
  const marks = new NodeMarks(nodes, new FakeClock());
  marks.serve("FloatingIPPool", { complete: true, list: () => [] });
  const watches = { nodes: () => ({ store: new Map([["n1", node]]) }) };
  const tools = { client, nodes, marks, watches } as unknown as Parameters<typeof removeLeftMark>[0];
  const signal = new AbortController().signal;
  const context = { marks, settings: { watchNamespaces: [] } };
  const found = () => ({ nodes: nodesWithLeftMarks(context), keys: leftMarksOn(context, nodeFacts(node)) });
  return { requests, found, remove: (key: string) => removeLeftMark(tools, signal, { node: "n1", key }) };
}

describe("marks whose resources are gone", () => {
  it("are found by the node that has them", () => {
    expect(setUp([]).found()).to.deep.equal({ nodes: ["n1"], keys: [CUT] });
  });

  it("stay where the API server has the resource, because the cache may lag behind", async () => {
    const metadata = { namespace: "default", name: "web", uid: "u", resourceVersion: "1" };
    const { requests, remove } = setUp([{ metadata }]);
    expect((await remove(LABEL)).is).to.equal("skipped");
    expect(requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      `GET ${GROUP_PATH}/namespaces/default/floatingippools`,
    ]);
    expect(requests[0]?.query).to.include({ fieldSelector: "metadata.name=web" });
  });

  it("go where the API server does not have it, also if a hash replaces the end of its name", async () => {
    for (const key of [LABEL, CUT]) {
      const { requests, remove } = setUp([]);
      expect((await remove(key)).is).to.equal("done");
      expect(requests.map(({ method }) => method)).to.deep.equal(["GET", "PATCH"]);
      expect(requests[0]?.query?.["fieldSelector"]).to.equal(key === CUT ? undefined : "metadata.name=web");
    }
  });

  it("name their resource, as far as the key has room for it", () => {
    const web = { kind: "FloatingIPPool", namespace: "default", name: "web" };
    expect(ownerOfMark(LABEL)).to.deep.equal(web);
    expect(ownerOfMark(`${UNTIL_ASSIGNED_PREFIX}rip.a.b.c`)).to.include({ namespace: "a", name: "b.c" });
    expect(ownerOfMark(CUT)).to.deep.equal({ kind: "FloatingIPPool", namespace: "default" });
    expect(ownerOfMark(`${HOLDER_LABEL_PREFIX}fip.${"n".repeat(30)}_0123456789abcdef`)).to.deep.equal({
      kind: web.kind,
    });
    for (const key of ["fip.default", "fip", "new.default.web", ""]) {
      expect(ownerOfMark(`${HOLDER_LABEL_PREFIX}${key}`)).to.equal(undefined);
    }
    expect(ownerOfMark("example.com/holder-of-fip.default.web")).to.equal(undefined);
    const { metadata } = { metadata: { ...web, uid: "u", resourceVersion: "1" } };
    expect([isKeyOf(LABEL, "FloatingIPPool", { metadata }), isKeyOf(LABEL, "RoutedIP", { metadata })]).to.deep.equal([
      true,
      false,
    ]);
  });
});
