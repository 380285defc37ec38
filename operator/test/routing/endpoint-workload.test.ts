import type { RefusalReason } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  EndpointWorkload,
  isDown,
  nodesOfSlices,
  SERVICE_LABEL,
  slimSlices,
} from "../../src/routing/endpoint-workload.js";
import { meta } from "../claims/resources.js";
import { slimPod } from "../support/kube/objects.js";

describe("the endpoints of a Service", () => {
  const slice = (endpoints: readonly object[], addressType = "IPv4") =>
    slimSlices({
      metadata: { ...meta("web-x"), labels: { [SERVICE_LABEL]: "web" } },
      ...{ addressType, endpoints },
    });
  const workload = (...slices: readonly ReturnType<typeof slice>[]) =>
    new EndpointWorkload("default/web", () => slices);

  it("make a node serve, still serve, or not", () => {
    const rows: readonly (readonly [object, string, boolean])[] = [
      [{}, "serving", true],
      [{ conditions: { ready: true } }, "serving", true],
      [{ conditions: { ready: false, serving: false } }, "unready", false],
      [{ conditions: { ready: false, serving: true, terminating: true } }, "unready", true],
      // publishNotReadyAddresses says ready whatever happens.
      [{ conditions: { ready: true, serving: true, terminating: true } }, "unready", true],
      [{ conditions: { ready: true, serving: false } }, "serving", true],
      [{ conditions: { ready: null, serving: null } }, "serving", true],
    ];
    for (const [endpoint, state, serves] of rows) {
      const made = workload(slice([{ nodeName: "n1", ...endpoint }]));
      expect([made.on("n1").state, made.servesAt("n1")]).to.deep.equal([state, serves]);
      expect(made.on("n2").state).to.equal("absent");
    }
  });

  it("count only because of publishNotReadyAddresses where one is ready and none serves", () => {
    const unready = (...conditions: readonly object[]) =>
      workload(slice(conditions.map((each) => ({ nodeName: "n1", conditions: each })))).unreadyOn("n1");
    const published = { ready: true, serving: false };
    expect(unready(published, published)).to.equal(true);
    expect(unready(published, { ready: true, serving: true })).to.equal(false);
    expect(unready({ ready: false, serving: false })).to.equal(false);
    expect(unready()).to.equal(false);
  });

  it("are out of date on a node whose kubelet is not ready or whose probes fail, and on no other one", () => {
    const down = (reason: RefusalReason, more: object = {}) =>
      isDown({ refusals: [{ reason, detail: "", recoverable: true, ...more }] });
    expect([down("NodeNotReady"), down("ProbeFailed")]).to.deep.equal([true, true]);
    expect(down("ProbeFailed", { isContested: true }), "a witness contradicts").to.equal(false);
    expect(down("ProbeFailed", { isDamped: true })).to.equal(false);
    expect([down("Cordoned"), isDown(undefined)]).to.deep.equal([false, false]);
  });

  it("leave a node when all that are there terminate, and may recover else", () => {
    const leaving = (...conditions: readonly object[]) => {
      const on = workload(slice(conditions.map((each) => ({ nodeName: "n1", conditions: each })))).on("n1");
      return on.state === "unready" && on.leaving === true;
    };
    const ends = { ready: false, serving: true, terminating: true };
    expect(leaving(ends)).to.equal(true);
    expect(leaving(ends, { ready: false, serving: false, terminating: true })).to.equal(true);
    expect(leaving(ends, { ready: false, serving: false })).to.equal(false);
    expect(leaving({ ready: false, serving: false })).to.equal(false);
  });

  it("name the first pod that is not ready, and of one that ends that it ends", () => {
    const pod = (name: string) => ({ nodeName: "n1", targetRef: { kind: "Pod", name } });
    const unready = workload(
      slice(["web-b", "web-a"].map((name) => ({ ...pod(name), conditions: { ready: false } }))),
    ).on("n1");
    const detail = "its endpoints of Service default/web are not ready (pod default/web-a)";
    expect(unready).to.deep.equal({ state: "unready", detail, pod: "default/web-a" });
    const mixed = workload(
      slice([
        { ...pod("web-a"), conditions: { ready: false, terminating: true } },
        { ...pod("web-b"), conditions: { ready: false } },
      ]),
    ).on("n1");
    expect(mixed, "the successor is the one to repair").to.include({ pod: "default/web-b" });
    const ends = workload(slice([{ ...pod("web-a"), conditions: { ready: false, terminating: true } }])).on("n1");
    expect(ends).to.deep.include({ pod: "default/web-a", ending: {}, leaving: true });
    const known = slimPod("web-a", { deletionTimestamp: "2025-01-01T02:00:00Z" });
    const terminating = slice([{ ...pod("web-a"), conditions: { ready: false, terminating: true } }]);
    const withPods = new EndpointWorkload("default/web", () => [terminating], undefined, { podOf: () => known });
    expect(withPods.on("n1"), "the pod is known").to.deep.include({
      detail:
        "its endpoints of Service default/web are terminating (pod default/web-a is being deleted (grace period until 2025-01-01T02:00:00Z))",
      ending: { finalizers: [] },
    });
    expect(slice([pod("web-a")]).endpoints[0], "a ready one takes no memory").not.to.have.property("pod");
  });

  it("name the slice of a node that counts only for an endpoint without a pod", () => {
    const [ready, pod] = [{ conditions: { ready: true } }, { targetRef: { kind: "Pod", name: "web-a" } }];
    const made = workload(
      slice([
        { nodeName: "n1", ...ready },
        { nodeName: "n2", ...ready },
        { nodeName: "n2", ...ready, ...pod },
        { nodeName: "n3", conditions: { ready: false } },
      ]),
    );
    expect(["n1", "n2", "n3"].map((node) => made.podlessOn(node))).to.deep.equal([
      "default/web-x",
      undefined,
      undefined,
    ]);
  });

  it("count over all slices and both families, the best of a node first", () => {
    const old = slice([{ nodeName: "n1", conditions: { ready: false, serving: true, terminating: true } }]);
    const made = workload(old, slice([{ nodeName: "n1" }], "IPv6"));
    expect(made.on("n1").state).to.equal("serving");
    expect([...made.nodes()]).to.deep.equal(["n1"]);
    expect(workload(slice([{ nodeName: "n1" }], "FQDN")).on("n1").state).to.equal("absent");
    expect([...nodesOfSlices(old, undefined, slice([{ nodeName: "n2" }, {}]))]).to.deep.equal(["n1", "n2"]);
    expect(old.service).to.equal("default/web");
  });
});
