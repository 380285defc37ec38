import { FlipopOperator, FloatingIPPool, PodMatch, RoutedIPJob } from "../../../src";
import { untyped } from "../../support/untyped";
import { job, type Mistake, operator, pool, UPDATE } from "./make";

/** A null in any place. */
export const NULLS: readonly Mistake[] = [
  ["null for a number", pool({ desiredIps: null }), "desiredIps: is null: remove it, or give a value"],
  ["null for a list", pool({ ips: null, region: "nyc3" }), "ips: is null: remove it, or give a list"],
  [
    "null for a part",
    pool({ nodes: null }),
    "nodes: is null: remove it, or give NodeMatch.labels(...) or NodeMatch.doksNodePool(...)",
  ],
  ["null for metadata", pool({ metadata: null }), "metadata: is null: remove it, or give an object"],
  ["null for a name", pool({ metadata: { name: null } }), "metadata.name: is null: remove it, or give a string"],
  [
    "null for props",
    (chart) => new FloatingIPPool(chart, "bad", untyped(null)),
    "null is not an object: write { prop: value }",
  ],
  [
    "null for an operator's props",
    (chart) => new FlipopOperator(chart, "bad", untyped(null)),
    "null is not an object: write { prop: value }",
  ],
  [
    "null for a boolean",
    operator({ createNamespaces: null }),
    "createNamespaces: is null: remove it, or give true or false",
  ],
  ["null in a map", operator({ env: { A: null } }), 'env.A: null is not a string: write "..."'],
  [
    "null for credentials",
    operator({ digitalOcean: null }),
    "digitalOcean: is null: remove it, or give Credentials.fromSecretName(...)",
  ],
  [
    "null for options",
    pool({ pods: PodMatch.labels({ a: "b" }, untyped(null)) }),
    "pods: null is not an object: write { prop: value }",
  ],
  [
    "null in a Job's spec",
    job(() => RoutedIPJob.spec({ template: { spec: { containers: [{ name: "a", image: "a", command: null }] } } })),
    `${UPDATE}.template.spec.containers[0].command: is null: remove it, or give a value`,
  ],
];
