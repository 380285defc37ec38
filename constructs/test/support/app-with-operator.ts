import { App, Chart } from "cdk8s";
import { FlipopOperator, type FlipopOperatorProps, type FlipopResource, FloatingIPPool, RoutedIPJob } from "../../src";

/** Adds a resource to a chart. */
export type Make = (chart: Chart) => FlipopResource;

export const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });
export const pool: Make = (chart) => new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"] });

/** An app with an operator in a chart of its own, and a chart for resources. */
export function appWith(props: FlipopOperatorProps): { web: Chart; flipop: Chart; operator: FlipopOperator } {
  const app = new App();
  const flipop = new Chart(app, "flipop");
  const operator = new FlipopOperator(flipop, "operator", props);
  return { web: new Chart(app, "web", { namespace: "web" }), flipop, operator };
}
