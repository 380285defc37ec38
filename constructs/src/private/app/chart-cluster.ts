import { Chart } from "cdk8s";
import type { IConstruct } from "constructs";
import { shown } from "../prop-types";
import type { Draft } from "../refusal-collector";

const CLUSTER = "flipop:cluster";

/** Records the cluster that a construct's chart is for. */
export function nameCluster(construct: IConstruct, cluster: string | undefined): void {
  if (typeof cluster !== "string") return;
  const { node } = Chart.of(construct);
  if (!namesOf(node).includes(cluster)) node.addMetadata(CLUSTER, cluster);
}

/** Refuses a cluster without a name, and a second cluster for the same chart. */
export function checkCluster(construct: IConstruct, cluster: string | undefined, draft: Draft): void {
  if (cluster === undefined) return;
  if (cluster.trim() === "") draft.at("cluster").refuse(`${shown(cluster)} is not a name: give one such as "prod"`);
  const [first] = namesOf(Chart.of(construct).node);
  if (first === undefined || first === cluster) return;
  draft.at("cluster").refuse(`"${cluster}" differs from "${first}" in the same chart: a chart is for one cluster`);
}

/** The cluster of a construct: that of the nearest chart with a name of a cluster; empty if there is none. */
export function clusterOf(construct: IConstruct): string {
  const scopes = [...construct.node.scopes].reverse();
  return scopes.flatMap(({ node }) => namesOf(node))[0] ?? "";
}

function namesOf(node: IConstruct["node"]): readonly string[] {
  return node.metadata.flatMap(({ type, data }) => (type === CLUSTER ? [String(data)] : []));
}
