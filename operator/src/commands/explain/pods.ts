/** The pods that a resource asks for, with what only `flipop explain` reads of them. */

import type { SelectorOperator, SelectorRequirement } from "cdk8s-flipop/api";
import { POD_INDEXES, type PodIndex, type PodScope } from "../../kube/cache/pods.js";
import { type SlimPod, slimPods } from "../../kube/cache/slim.js";
import { Store } from "../../kube/cache/store.js";
import type { KubeClient } from "../../kube/client.js";
import { type KubeObject, selectorString, type Transform } from "../../kube/objects.js";
import { omitUndefined } from "../../values.js";
import { listMapped } from "../read.js";

/** Requirements of one term; a node fits if it fits one of the terms. */
type NodeTerms = readonly (readonly SelectorRequirement[])[];

export interface PodFacts extends SlimPod {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Of the required node affinity. */
  readonly nodeTerms?: NodeTerms;
}

export interface PodReader {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
}

export async function readPods(
  { client, signal }: PodReader,
  { namespace, selector }: PodScope,
): Promise<Store<PodFacts, PodIndex>> {
  const path = namespace === undefined ? "/api/v1/pods" : `/api/v1/namespaces/${namespace}/pods`;
  const target = { path, labelSelector: selectorString(selector) };
  const store = new Store<PodFacts, PodIndex>({ indexes: POD_INDEXES });
  await store.replace(await listMapped({ client, signal, target }, podFacts()));
  return store;
}

function podFacts(): Transform<PodFacts> {
  const slim = slimPods();
  return (raw) => {
    const { spec = {} } = raw as RawPod;
    const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    const nodeTerms = terms?.map(({ matchExpressions = [] }) => matchExpressions.map(requirementOf));
    return { ...slim(raw), ...omitUndefined({ nodeSelector: spec.nodeSelector, nodeTerms }) };
  };
}

/** Those of a selector of labels, which have other names here. */
const OPERATORS: Readonly<Record<string, SelectorOperator>> = { Gt: "GreaterThan", Lt: "LessThan" };

function requirementOf({ key, operator, values = [] }: RawRequirement): SelectorRequirement {
  return { key, operator: OPERATORS[operator] ?? (operator as SelectorOperator), values };
}

interface RawRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface RawPod extends KubeObject {
  readonly spec?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms?: readonly { readonly matchExpressions?: readonly RawRequirement[] }[];
        };
      };
    };
  };
}
