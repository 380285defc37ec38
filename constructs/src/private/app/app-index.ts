import { ApiObject, Chart } from "cdk8s";
import type { IConstruct } from "constructs";
import { KINDS, type KindName } from "../../api/kinds/kinds";
import { GROUP_VERSION } from "../../api/names";
import { isObject, type JsonObject } from "../../api/schema/schema";
import { objectAt } from "../manifest";
import { resolved } from "../resolve";
import { clusterOf } from "./chart-cluster";
import { claimsOf } from "./claims";
import type { OperatorConstruct } from "./operator-construct";

/** The manifest of an object, after patches, or the reason why there is none. */
export interface Rendered {
  readonly json?: JsonObject;
  readonly error?: Error;
}

/** An object of one of the five kinds, from this library or not. */
export interface FlipopObject {
  readonly object: ApiObject;
  readonly kind: KindName;
  readonly spec: JsonObject;
}

const CLUSTER_KINDS: ReadonlySet<string> = new Set([
  "Namespace",
  "ClusterRole",
  "ClusterRoleBinding",
  "CustomResourceDefinition",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  ...Object.values(KINDS).flatMap(({ kind, scope }) => (scope === "Cluster" ? [kind] : [])),
]);

/**
 * The objects and claims of an app, for checks across its charts. One pass over the app builds it, because a pass
 * for each resource would take quadratic time.
 */
export class AppIndex {
  private readonly positions = new Map<IConstruct, number>();
  private readonly objects = new Map<string, ApiObject[]>();
  private readonly files = new Map<string, ApiObject[]>();
  private readonly claims = new Map<string, IConstruct[]>();
  private readonly clusters = new Map<IConstruct, string>();
  private readonly manifests = new Map<ApiObject, Rendered>();
  private readonly operators = new Map<string, OperatorConstruct[]>();
  private readonly flipopObjects: FlipopObject[] = [];

  constructor(private readonly root: IConstruct) {
    for (const construct of root.node.findAll() as readonly IConstruct[]) {
      this.positions.set(construct, this.positions.size);
      if (ApiObject.isApiObject(construct)) this.addObject(construct);
      else if (isOperator(construct)) this.addOperator(construct);
    }
  }

  /** The operators for the same cluster, in the order of the app. */
  operatorsFor(construct: IConstruct): readonly OperatorConstruct[] {
    return this.operators.get(this.clusterOf(construct)) ?? [];
  }

  /** The objects of the five kinds, in the order of the app. */
  allFlipopObjects(): readonly FlipopObject[] {
    return this.flipopObjects;
  }

  /** The manifest of an object. */
  manifestOf(object: ApiObject): Rendered {
    const known = this.manifests.get(object) ?? rendered(object);
    this.manifests.set(object, known);
    return known;
  }

  /** Objects with the same kind, namespace and name for the same cluster. */
  sameName(object: ApiObject): readonly ApiObject[] {
    return others(this.objects.get(this.nameKey(object)), object);
  }

  /** Objects that cdk8s writes to the same file, in the output types with a file for each object. */
  sameFile(object: ApiObject): readonly ApiObject[] {
    return others(this.files.get(this.fileKey(object)), object);
  }

  /** An object of the core API for the same cluster; without a namespace, a cluster-scoped one. */
  coreObject(kind: string, place: { name: string; namespace?: string }, construct: IConstruct): ApiObject | undefined {
    return this.objects.get(keyOf(this.clusterOf(construct), "", kind, place.namespace ?? "", place.name))?.[0];
  }

  /** The first construct for the same cluster with this claim; undefined if that is the given construct. */
  earlierClaimant(claim: string, construct: IConstruct): IConstruct | undefined {
    const [first] = this.claimants(claim, construct);
    return first === construct ? undefined : first;
  }

  /** All constructs for the same cluster with this claim, in the order of the app. */
  claimants(claim: string, construct: IConstruct): readonly IConstruct[] {
    return this.claims.get(keyOf(this.clusterOf(construct), claim)) ?? [];
  }

  /** Whether a construct comes before another one in the app. */
  isBefore(one: IConstruct, other: IConstruct): boolean {
    return (this.positions.get(one) ?? 0) < (this.positions.get(other) ?? 0);
  }

  /** The name of the cluster that a construct's chart is for; empty without one. */
  clusterOf(construct: IConstruct): string {
    const chart = Chart.of(construct);
    const known = this.clusters.get(chart) ?? clusterOf(chart);
    this.clusters.set(chart, known);
    return known;
  }

  private addObject(object: ApiObject): void {
    add(this.objects, this.nameKey(object), object);
    add(this.files, this.fileKey(object), object);
    const { apiVersion, kind } = object;
    if (apiVersion !== GROUP_VERSION || !isKind(kind)) return;
    const spec = objectAt(this.manifestOf(object).json, "spec");
    this.flipopObjects.push({ object, kind, spec });
    const claims = claimsOf(kind, spec).map(({ key }) => key);
    this.addClaims(object, [...new Set(claims)]);
  }

  private addOperator(operator: OperatorConstruct): void {
    add(this.operators, this.clusterOf(operator), operator);
    this.addClaims(operator, operator._claims);
  }

  private addClaims(claimant: IConstruct, claims: readonly string[]): void {
    const cluster = this.clusterOf(claimant);
    for (const claim of claims) add(this.claims, keyOf(cluster, claim), claimant);
  }

  private nameKey(object: ApiObject): string {
    const { apiVersion, kind } = object;
    const group = apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "";
    const { name, namespace } = this.placeOf(object);
    return keyOf(this.clusterOf(object), group, kind, CLUSTER_KINDS.has(kind) ? "" : namespace, name);
  }

  /** The name of the file; empty for an output type with several objects in a file. */
  private fileKey(object: ApiObject): string {
    const type: unknown = Reflect.get(this.root, "yamlOutputType");
    const file = `${object.kind}.${this.placeOf(object).name}`.replaceAll(/[^-0-9a-zA-Z_.]/g, "");
    if (type === OutputType.FILE_PER_RESOURCE) return file;
    if (type === OutputType.FOLDER_PER_CHART) return keyOf(Chart.of(object).node.path, file);
    return object.node.path;
  }

  private placeOf(object: ApiObject): { readonly name: string; readonly namespace: string } {
    // Only an object of this library is rendered: patches rarely change a name, and rendering takes time.
    const manifest = object.apiVersion === GROUP_VERSION ? objectAt(this.manifestOf(object).json, "metadata") : {};
    const { name = plain(object.name, object), namespace = plain(object.metadata.namespace, object) } = manifest;
    return { name: String(name), namespace: String(namespace) };
  }
}

/** Values of cdk8s' YamlOutputType. */
const OutputType = { FILE_PER_RESOURCE: 2, FOLDER_PER_CHART: 3 } as const;

/** The namespace of an object. A chart sets its namespace on cluster-scoped objects too, which have none. */
export function namespaceOf({ kind, metadata }: ApiObject): string | undefined {
  return CLUSTER_KINDS.has(kind) ? undefined : metadata.namespace;
}

function rendered(object: ApiObject): Rendered {
  try {
    const json: unknown = object.toJson();
    return isObject(json) ? { json } : {};
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** A text without tokens. Validation reports one that no resolver can resolve. */
function plain(text: string | undefined, object: ApiObject): string {
  try {
    return String(resolved(text, object, ["metadata"]) ?? "");
  } catch {
    return text ?? "";
  }
}

function isKind(kind: string): kind is KindName {
  return Object.hasOwn(KINDS, kind);
}

function isOperator(construct: IConstruct): construct is OperatorConstruct {
  return isObject(Reflect.get(construct, "_reach"));
}

function keyOf(...parts: readonly string[]): string {
  return parts.join("\n");
}

function others(objects: readonly ApiObject[] = [], object: ApiObject): readonly ApiObject[] {
  return objects.length > 1 ? objects.filter((one) => one !== object) : [];
}

function add<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

interface Pass {
  readonly index: AppIndex;
  /** Constructs that have read the index. */
  readonly readers: Set<IConstruct>;
}

const PASSES = new WeakMap<IConstruct, Pass>();

/**
 * The index of a construct's app. Call it once in each validation of a construct: cdk8s validates each construct once
 * per pass over the app, so a second call of the same construct begins a new pass, for which the app may have changed.
 */
export function appIndex(reader: IConstruct): AppIndex {
  const { root } = reader.node;
  const current = PASSES.get(root);
  if (current && !current.readers.has(reader)) {
    current.readers.add(reader);
    return current.index;
  }
  const index = new AppIndex(root);
  PASSES.set(root, { index, readers: new Set([reader]) });
  // A validation is synchronous, so no later one needs this pass.
  queueMicrotask(() => PASSES.delete(root));
  return index;
}

/** The index of the validation that runs, if one does. It reads no construct a second time. */
export function runningIndex(construct: IConstruct): AppIndex | undefined {
  return PASSES.get(construct.node.root)?.index;
}
