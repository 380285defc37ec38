import { ApiObject, type Chart } from "cdk8s";
import * as kplus from "cdk8s-plus-28";
import { Construct } from "constructs";
import { LabelQuery, NodeMatch, PodMatch, Toleration } from "../../../src";
import { untyped } from "../../support/untyped";
import type { BadProps } from "./case";
import { pool } from "./pools";

function podsOf(name: string, workload: (chart: Chart) => Construct, says: string): BadProps {
  return { name, make: (chart) => pool(name, { pods: PodMatch.of(workload(chart)) }, says).make(chart), says };
}

/** Bad matches, in a FloatingIPPool. */
export const BAD_MATCHES: readonly BadProps[] = [
  pool(
    "a pod selector with a syntax error",
    { pods: PodMatch.selector("app in web") },
    'pods: "app in web" is not a label selector: write requirements such as app=web, tier in (a,b), !spot, joined by ","; at character 8: expected "(" and a list of values, found "web"',
  ),
  pool(
    "a node selector with a syntax error",
    { nodes: NodeMatch.selector("=") },
    'nodes: "=" is not a label selector: write requirements such as app=web, tier in (a,b), !spot, joined by ","; at character 1: expected a label key, found "="',
  ),
  pool(
    "pods by no label",
    { pods: PodMatch.labels({}) },
    "pods: the selector is empty: name a label, or use PodMatch.inNamespace",
  ),
  pool(
    "pods by an empty selector",
    { pods: PodMatch.selector(" ") },
    "pods: the selector is empty: name a label, or use PodMatch.inNamespace",
  ),
  pool(
    "pods of a namespace without a name",
    { pods: PodMatch.inNamespace("") },
    "pods: the namespace is empty, so no pod would be required: name it",
  ),
  pool(
    "a toleration with an effect that is none",
    { tolerations: [Toleration.key("dedicated", untyped("noschedule"))] },
    'tolerations[0]: effect "noschedule" tolerates nothing: use NoSchedule, PreferNoSchedule, NoExecute, or remove it for all effects',
  ),
  pool(
    "nodes by no requirement",
    { nodes: NodeMatch.query([]) },
    "nodes: the selector is empty: name a label, or remove nodes to match every node",
  ),
  pool(
    "a node pool without a name",
    { nodes: NodeMatch.doksNodePool("") },
    "nodes: the node pool's name is empty, so no node would match: give it",
  ),
  pool(
    "a label value that would end its requirement",
    { nodes: NodeMatch.labels({ app: "a,b=c" }) },
    'nodes: "a,b=c" is not a label value: use at most 63 letters, digits, "-", "_" and "."',
  ),
  pool(
    "a label key with a space in it",
    { nodes: NodeMatch.query([LabelQuery.exists("a b")]) },
    'nodes: "a b" is not a label key: write [prefix/]name, with a name of at most 63 letters, digits, "-", "_" and "."',
  ),
  pool(
    "a set without values",
    { nodes: NodeMatch.query([LabelQuery.in("app", [])]) },
    'nodes: label "app" is compared with an empty list: give at least one value',
  ),
  pool(
    "a comparison with a fraction",
    { nodes: NodeMatch.query([LabelQuery.gt("size", 1.5)]) },
    'nodes: label "size" is compared with 1.5: give a whole number, 0 or more',
  ),
  pool(
    "pods of a namespace with capitals",
    { pods: PodMatch.inNamespace("Web") },
    'pods.namespace: "Web" is not a DNS label: use at most 63 lower-case letters, digits and "-", with a letter or digit at each end, such as "ingress"',
  ),
  pool(
    "a toleration of an empty key",
    { tolerations: [Toleration.key("")] },
    "tolerations[0].key: an empty key tolerates every taint: use Toleration.all()",
  ),
  pool(
    "a toleration of no label key",
    { tolerations: [Toleration.all(), Toleration.key("a b")] },
    'tolerations[1].key: "a b" is not a label key: write [prefix/]name, with a name of at most 63 letters, digits, "-", "_" and "."',
  ),
  podsOf(
    "a workload that is undefined",
    () => untyped(undefined),
    "pods: undefined is not a construct: give a workload such as a Deployment, its ApiObject, or use PodMatch.labels",
  ),
  podsOf(
    "a construct without an object",
    (chart) => new Construct(chart, "empty"),
    'pods: construct "test/empty" has no Kubernetes object: give a workload such as a Deployment, its ApiObject, or use PodMatch.labels',
  ),
  podsOf(
    "a workload without labels",
    (chart) => new ApiObject(chart, "web", { apiVersion: "apps/v1", kind: "Deployment", spec: {} }),
    'pods: apps/v1 Deployment "test/web" has no pod labels: label its pods, or use PodMatch.labels',
  ),
  podsOf(
    "an object that is no workload",
    (chart) => new ApiObject(chart, "map", { apiVersion: "v1", kind: "ConfigMap" }),
    'pods: v1 ConfigMap "test/map" is not a workload: give a workload such as a Deployment, its ApiObject, or use PodMatch.labels',
  ),
  podsOf(
    "a workload that can't be rendered",
    (chart) => new kplus.Deployment(chart, "web", { metadata: { name: "web" } }),
    `pods: construct "test/web" cannot be rendered: Failed serializing construct at path 'test/web/Resource' with name 'web': Error: PodSpec must have at least 1 container`,
  ),
  podsOf(
    "a selector with an unknown operator",
    (chart) => {
      const spec = {
        selector: {
          matchExpressions: [
            { key: "app", operator: "Like", values: ["w"] },
            { key: "a", operator: "Exists" },
          ],
        },
      };
      return new ApiObject(chart, "web", { apiVersion: "apps/v1", kind: "Deployment", spec });
    },
    `pods: the workload's selector has operator "Like": use In, NotIn, Exists or DoesNotExist`,
  ),
];
