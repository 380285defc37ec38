import { ApiObject, Chart } from "cdk8s";
import type { IConstruct } from "constructs";
import { KINDS } from "../../api/kinds";
import { clusterOf } from "./cluster-name";

/** A construct that needs something for itself in its cluster, such as `address 192.0.2.10`. */
interface Claimant extends IConstruct {
  readonly _claims: readonly string[];
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
  private readonly claims = new Map<string, IConstruct>();
  private readonly clusters = new Map<IConstruct, string>();

  constructor(private readonly root: IConstruct) {
    for (const construct of root.node.findAll() as readonly IConstruct[]) {
      this.positions.set(construct, this.positions.size);
      if (ApiObject.isApiObject(construct)) this.addObject(construct);
      else if (isClaimant(construct)) this.addClaims(construct);
    }
  }

  /** Objects with the same kind, namespace and name for the same cluster. */
  sameName(object: ApiObject): readonly ApiObject[] {
    return this.others(this.objects.get(this.nameKey(object)), object);
  }

  /** Objects that cdk8s writes to the same file, in the output types with a file for each object. */
  sameFile(object: ApiObject): readonly ApiObject[] {
    return this.others(this.files.get(this.fileKey(object)), object);
  }

  /** Whether the app defines a Namespace for the construct's cluster. */
  hasNamespace(name: string, construct: IConstruct): boolean {
    return this.objects.has(keyOf(this.clusterOf(construct), "", "Namespace", "", name));
  }

  /** The first construct for the same cluster with this claim; undefined if that is the given construct. */
  earlierClaimant(claim: string, construct: IConstruct): IConstruct | undefined {
    const first = this.claims.get(keyOf(this.clusterOf(construct), claim));
    return first === construct ? undefined : first;
  }

  /** Whether a construct comes before another one in the app. */
  isBefore(one: IConstruct, other: IConstruct): boolean {
    return (this.positions.get(one) ?? 0) < (this.positions.get(other) ?? 0);
  }

  private others(objects: readonly ApiObject[] = [], object: ApiObject): readonly ApiObject[] {
    return objects.length > 1 ? objects.filter((one) => one !== object) : [];
  }

  private addObject(object: ApiObject): void {
    add(this.objects, this.nameKey(object), object);
    add(this.files, this.fileKey(object), object);
  }

  private addClaims(claimant: Claimant): void {
    const cluster = this.clusterOf(claimant);
    for (const claim of claimant._claims) {
      const key = keyOf(cluster, claim);
      if (!this.claims.has(key)) this.claims.set(key, claimant);
    }
  }

  private nameKey(object: ApiObject): string {
    const { apiVersion, kind, name } = object;
    const group = apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "";
    return keyOf(this.clusterOf(object), group, kind, namespaceOf(object) ?? "", name);
  }

  /** The name of the file; empty for an output type with several objects in a file. */
  private fileKey(object: ApiObject): string {
    const type: unknown = Reflect.get(this.root, "yamlOutputType");
    const file = `${object.kind}.${object.name}`.replaceAll(/[^-0-9a-zA-Z_.]/g, "");
    if (type === OutputType.FILE_PER_RESOURCE) return file;
    if (type === OutputType.FOLDER_PER_CHART) return keyOf(Chart.of(object).node.path, file);
    return object.node.path;
  }

  private clusterOf(construct: IConstruct): string {
    const chart = Chart.of(construct);
    const known = this.clusters.get(chart) ?? clusterOf(chart);
    this.clusters.set(chart, known);
    return known;
  }
}

/** Values of cdk8s' YamlOutputType. */
const OutputType = { FILE_PER_RESOURCE: 2, FOLDER_PER_CHART: 3 } as const;

/** The namespace of an object. A chart sets its namespace on cluster-scoped objects too, which have none. */
export function namespaceOf({ kind, metadata }: ApiObject): string | undefined {
  return CLUSTER_KINDS.has(kind) ? undefined : metadata.namespace;
}

function isClaimant(construct: IConstruct): construct is Claimant {
  return Array.isArray(Reflect.get(construct, "_claims"));
}

function keyOf(...parts: readonly string[]): string {
  return parts.join("\n");
}

function add(map: Map<string, ApiObject[]>, key: string, object: ApiObject): void {
  const list = map.get(key);
  if (list) list.push(object);
  else map.set(key, [object]);
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
