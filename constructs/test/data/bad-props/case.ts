import type { Chart } from "cdk8s";

/** Invalid props, in a chart with namespace `web`. */
export interface BadProps {
  readonly name: string;
  /** Creates construct `bad`. */
  readonly make: (chart: Chart) => unknown;
  /** The error of construct `test/bad` at synthesis. */
  readonly says: string;
}
