import { expect } from "chai";
import { describe, it } from "mocha";
import { RUNTIME_METRICS as USED } from "../constructs/src/operator/monitoring/metric-names.js";
import { RUNTIME_METRICS as WRITTEN } from "../operator/src/metrics/definitions.js";

/** Labels in the selectors and groupings of alerts and dashboard. */
const LABELS: Readonly<Record<keyof typeof USED, string>> = {
  leader: "name",
  reconcileErrors: "controller",
  reconcileSeconds: "controller",
  queueDepth: "name",
};

describe("the runtime metrics of alerts and dashboard", () => {
  for (const [key, name] of Object.entries(USED)) {
    it(`${name} exists in the operator, with the required label`, () => {
      const written: readonly { readonly name: string; readonly labels: readonly string[] }[] = WRITTEN;
      const found = written.find((metric) => metric.name === name);
      expect(found?.labels).to.include(LABELS[key as keyof typeof USED]);
    });
  }
});
