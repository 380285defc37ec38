import { expect } from "chai";
import { describe, it } from "mocha";
import { RUNTIME_METRICS as USED } from "../constructs/src/operator/metric-queries.js";
import { RUNTIME_METRICS as WRITTEN } from "../operator/src/metrics/runtime.js";

/** Labels by which alerts and dashboard select or group. */
const LABELS: Readonly<Record<keyof typeof USED, string>> = {
  leader: "name",
  reconcileErrors: "controller",
  reconcileSeconds: "controller",
  queueDepth: "name",
};

describe("the metrics of the machinery that alerts and dashboard use", () => {
  for (const [key, name] of Object.entries(USED)) {
    it(`${name} is written by the operator, with the label that is asked for`, () => {
      const written: readonly { readonly name: string; readonly labels: readonly string[] }[] = WRITTEN;
      const found = written.find((metric) => metric.name === name);
      expect(found?.labels).to.include(LABELS[key as keyof typeof USED]);
    });
  }
});
