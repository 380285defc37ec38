import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { healthMessages } from "../../../../src/messages/health.js";
import type { ModelCloud } from "../support/model-cloud.js";
import { actions, altered, assigned, cluster, condition, settled } from "../support/pool-plans.js";

const A = "203.0.113.7";

describe("the safeguards of a pool", () => {
  const IPS = [A, "203.0.113.8", "203.0.113.9"] as const;
  const stop = { lost: 3, holders: 3, until: 0 };

  /** Three holders that failed, and three other nodes. */
  function failed(): ModelCloud {
    const cloud = settled(cluster(["n1", "n2", "n3"], { ips: IPS }));
    for (const name of ["n1", "n2", "n3"]) cloud.setReady(name, false);
    for (const name of ["n4", "n5", "n6"]) cloud.addNode(name);
    cloud.now += 1000;
    return cloud;
  }

  it("moves nothing off failed holders in a mass failure, and says until when", () => {
    const cloud = failed();
    const until = cloud.now + 60_000;
    const made = altered(cloud, { massFailures: () => ({ ...stop, until }) });
    expect(actions(made)).not.to.include("assign");
    expect([condition(made, "MassFailure"), condition(made, "Fulfilled")]).to.deep.equal([
      "True/MassFailure",
      "False/MassFailure",
    ]);
    expect(made.addresses.map(({ status }) => status.reason)).to.deep.equal(IPS.map(() => "MassFailure"));
    expect(made.requeueAt).to.equal(until);
    expect(actions(altered(cloud, { massFailures: () => ({ ...stop, until: cloud.now }) }))).to.include("assign");
  });

  it("moves all the same off a node that a person takes out of service, and where the annotation says so", () => {
    const massFailures = () => ({ ...stop, until: Date.parse("2100-01-01T00:00:00Z") });
    const drained = failed();
    const node = drained.nodes.get("n1");
    if (node) drained.nodes.set("n1", { ...node, unschedulable: true });
    expect(assigned(altered(drained, { massFailures }))).to.have.length(1);
    const overridden = failed();
    const { metadata } = overridden.pool("web");
    const annotations = { [Annotation.ignoreMassFailure]: "true" };
    overridden.edit("web", { metadata: { ...metadata, annotations } });
    expect(assigned(altered(overridden, { massFailures }))).to.have.length(3);
    expect(altered(overridden, { massFailures }).conditions.map(({ type }) => type)).not.to.include("MassFailure");
  });

  it("lets so many moves begin as its limits allow, and others wait for them", () => {
    const cloud = failed();
    const nextAt = cloud.now + 30_000;
    const made = altered(cloud, { moveAllowance: { moves: 1, nextAt, begun: new Set() } });
    expect(assigned(made)).to.have.length(1);
    expect(made.requeueAt).to.equal(nextAt);
    expect(condition(made, "Fulfilled")).to.equal("False/MoveLimit");
    expect(made.explanation).to.match(/2 others wait for the limit of moves per minute until/);
    const waiting = made.addresses.flatMap(({ status, problem }) => (status.state === "no-match" ? [problem] : []));
    expect(waiting).to.deep.equal([1, 2].map(() => healthMessages.moveLimit({ until: nextAt })));
    const begun = altered(cloud, { moveAllowance: { moves: 0, nextAt, begun: new Set([A]) } });
    expect(assigned(begun), "a move that has begun").to.deep.equal([A]);
  });

  it("waits for the end of a cool-off rather than for a token that nothing uses up", () => {
    const cloud = failed();
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, assignmentCoolOffSeconds: 60 } });
    const nextAt = cloud.now + 12_000;
    const made = altered(cloud, { moveAllowance: { moves: 2, nextAt, begun: new Set() } });
    expect(assigned(made)).to.have.length(1);
    expect(made.requeueAt).to.equal(cloud.now + 60_000);
    expect(made.explanation).to.not.match(/limit of moves/);
  });

  it("limits no assignment of an address that no node holds", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A] });
    const made = altered(cloud, { moveAllowance: { moves: 0, nextAt: cloud.now, begun: new Set() } });
    expect(assigned(made)).to.deep.equal([A]);
  });
});
