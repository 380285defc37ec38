import { ApiObject, type Chart } from "cdk8s";
import * as kplus28 from "cdk8s-plus-28";
import * as kplus34 from "cdk8s-plus-34";
import { expect } from "chai";
import type { IConstruct } from "constructs";
import { describe, it } from "mocha";
import { ClassImplementation, ClusterRoutedIPClass, RoutedIPJob } from "../../src";
import { newChart, only, refusals, synth } from "../support/charts";
import { untyped } from "../support/untyped";

const POD = { containers: [{ image: "registry.example/update:1", args: ["assign"] }] };

const LIBRARIES: Readonly<Record<string, (chart: Chart) => IConstruct>> = {
  "cdk8s-plus-28": (chart) => new kplus28.Job(chart, "job", POD),
  "cdk8s-plus-34": (chart) => new kplus34.Job(chart, "job", POD),
  "a plain ApiObject": (chart) =>
    new ApiObject(chart, "job", {
      apiVersion: "batch/v1",
      kind: "Job",
      spec: { template: { spec: { containers: [{ name: "main", image: "registry.example/update:1" }] } } },
    }),
};

function newClass(chart: Chart, job: RoutedIPJob): ClusterRoutedIPClass {
  const implementation = ClassImplementation.jobs(job, job);
  return new ClusterRoutedIPClass(chart, "class", { metadata: { name: "class" }, implementation });
}

for (const [name, make] of Object.entries(LIBRARIES)) {
  describe(`a Job of ${name}`, () => {
    it("becomes the template of a class, and no manifest contains it as a Job", () => {
      const chart = newChart({ namespace: "flipop-jobs" });
      newClass(chart, RoutedIPJob.of(make(chart)));
      expect(synth(chart).map(({ kind }) => kind)).to.deep.equal(["ClusterRoutedIPClass"]);
      const { updateRoutedIP, updateFirewall } = only(chart, "ClusterRoutedIPClass").spec;
      expect(updateFirewall).to.deep.equal(updateRoutedIP);
      expect(JSON.stringify(updateRoutedIP)).to.include('"image":"registry.example/update:1"');
    });
  });
}

describe("a construct for a Job", () => {
  it("may still change", () => {
    const chart = newChart();
    const job = new kplus28.Job(chart, "job", POD);
    newClass(chart, RoutedIPJob.of(job));
    job.addContainer({ image: "registry.example/second:1", name: "second" });
    expect(JSON.stringify(only(chart, "ClusterRoutedIPClass").spec["updateFirewall"])).to.include("second:1");
  });

  it("of another kind is refused, as are fields that the operator overwrites", () => {
    const chart = newChart();
    newClass(chart, RoutedIPJob.of(new kplus28.Job(chart, "job", { ...POD, backoffLimit: 3 })));
    const other = newChart();
    newClass(other, RoutedIPJob.of(new kplus28.Deployment(other, "web", POD)));
    const [line, ...rest] = refusals(chart);
    expect(line).to.equal(
      "[test/class] implementation.updateRoutedIP.backoffLimit: 3 has no effect, because the operator sets 0: remove it",
    );
    expect(rest).to.have.length(1);
    expect(refusals(other)[0]).to.equal(
      '[test/class] implementation.updateRoutedIP: apps/v1 Deployment "test/web/Resource" is not a Job: give the construct of a Job, or use RoutedIPJob.container',
    );
  });

  it("must be a construct", () => {
    const chart = newChart();
    newClass(chart, RoutedIPJob.of(untyped("job")));
    expect(refusals(chart)[0]).to.include('"job" is not a construct: give the construct of a Job');
  });
});
