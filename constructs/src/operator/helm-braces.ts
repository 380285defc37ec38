import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { IConstruct } from "constructs";

/**
 * Text with double braces, as Prometheus and Grafana read it. `cdk8s synth --format helm` writes the manifests as
 * templates of a Helm chart, where Helm would interpret the braces; there, the text contains an expression for them.
 */
export function withBraces(text: string, scope: IConstruct): string {
  return isHelmTemplate(scope) ? text.replaceAll("{{", "{{ `{{` }}") : text;
}

/** Whether the output folder of the app is the folder of a Helm chart's templates. */
function isHelmTemplate({ node }: IConstruct): boolean {
  const outdir: unknown = Reflect.get(node.root, "outdir");
  if (typeof outdir !== "string" || basename(resolve(outdir)) !== "templates") return false;
  return existsSync(join(dirname(resolve(outdir)), "Chart.yaml"));
}
