import { KINDS, type KindName } from "../api/kinds/kinds";
import { isObject } from "../api/schema/schema";
import { type ClassName, call, data, type Expression, optional, struct } from "./expression";
import { propsOf, type References } from "./from-spec";
import type { ManifestObject } from "./manifest-object";
import { Names, variableName } from "./names";
import type { ChartPlan, Program, ResourcePlan } from "./program";

/** Objects that a plain ApiObject defines, and why no construct does. */
export type PlainObjects = ReadonlyMap<ManifestObject, string | undefined>;

/** Names that the code of an app has already. */
const RESERVED = ["app"];

/** Objects that others refer to come first. */
const ORDER: readonly string[] = ["RoutedIPIssuer", "ClusterRoutedIPClass"];

/**
 * An app with a construct for each object, before its patches.
 * @param plain objects that no construct can write
 */
export function planApp(objects: readonly ManifestObject[], plain: PlainObjects): Program {
  const variables = new Names(RESERVED);
  const charts = planCharts(objects, variables);
  const planned = new Map<ManifestObject, ResourcePlan>();
  const ids = new Map<ChartPlan, Names>(charts.map((chart) => [chart, new Names()]));
  for (const object of inOrder(objects, plain)) {
    const chart = charts.find(({ namespace }) => namespace === object.metadata.namespace);
    if (!chart) continue;
    const place: Place = {
      chart,
      id: ids.get(chart)?.give(object.metadata.name, "-") ?? object.metadata.name,
      variable: variables.give(variableName(object.metadata.name, wordOf(object.kind))),
    };
    const names = ids.get(chart) ?? new Names();
    const references = referencesFrom(object, { place, names, planned: [...planned.values()] });
    planned.set(object, planResource(object, { place, references, plain }));
  }
  return { charts, resources: [...planned.values()] };
}

interface Place {
  readonly chart: ChartPlan;
  readonly id: string;
  readonly variable: string;
}

function planCharts(objects: readonly ManifestObject[], variables: Names): readonly ChartPlan[] {
  const namespaces = [...new Set(objects.map(({ metadata }) => metadata.namespace))];
  const ids = new Names();
  return namespaces.map((namespace) => {
    const id = ids.give(namespace ?? "cluster", "-");
    const variable = variables.give(variableName(id, "Chart"));
    return { id, variable, ...(namespace === undefined ? {} : { namespace }) };
  });
}

function inOrder(objects: readonly ManifestObject[], plain: PlainObjects): readonly ManifestObject[] {
  const rank = (object: ManifestObject): number => {
    if (plain.has(object)) return -1;
    const at = ORDER.indexOf(object.kind);
    return at < 0 ? ORDER.length : at;
  };
  return [...objects].sort((one, other) => rank(one) - rank(other));
}

/** The last word of a variable for a kind. */
function wordOf(kind: string): string {
  const words: Readonly<Record<string, string>> = {
    FloatingIPPool: "Pool",
    NodeDNSRecordSet: "Records",
    RoutedIP: "RoutedIp",
    RoutedIPIssuer: "Issuer",
    ClusterRoutedIPClass: "Class",
  };
  return (Object.hasOwn(words, kind) ? words[kind] : undefined) ?? kind;
}

interface Surroundings {
  readonly place: Place;
  readonly references: References;
  readonly plain: PlainObjects;
}

function planResource(object: ManifestObject, { place, references, plain }: Surroundings): ResourcePlan {
  const props = plain.has(object) ? undefined : constructProps(object, references);
  if (props) return { ...place, object, className: object.kind, props, rest: {}, patches: [] };
  const { apiVersion, kind, metadata, ...rest } = object;
  const comment = plain.get(object);
  return {
    ...place,
    object,
    className: "ApiObject",
    props: struct({ apiVersion: data(apiVersion), kind: data(kind), metadata: metadataOf(object) }),
    rest,
    patches: [],
    ...(comment === undefined ? {} : { comment }),
  };
}

function constructProps(object: ManifestObject, references: References) {
  const { apiVersion: _, kind, metadata: __, spec, ...others } = object;
  if (!Object.hasOwn(KINDS, kind) || !isObject(spec) || Object.keys(others).length > 0) return undefined;
  const props = propsOf(kind as KindName, spec, references);
  return props && struct({ metadata: metadataOf(object), ...props.props });
}

/** The metadata, without the namespace, which the chart sets. */
function metadataOf({ metadata }: ManifestObject): Expression {
  const { namespace: _, ...others } = metadata;
  return struct(Object.fromEntries(Object.entries(others).map(([field, value]) => [field, optional(value)])));
}

/** The name by which others refer to it. */
function nameFor({ kind, metadata, spec }: ManifestObject): string {
  const className = kind === "ClusterRoutedIPClass" && isObject(spec) ? spec.className : undefined;
  return typeof className === "string" ? className : metadata.name;
}

interface Known {
  readonly place: Place;
  /** The construct ids of the chart. */
  readonly names: Names;
  readonly planned: readonly ResourcePlan[];
}

function referencesFrom({ metadata }: ManifestObject, { place, names, planned }: Known): References {
  const find = (kind: string, name: string, namespace: string | undefined): Expression | undefined => {
    const found = planned.find(
      ({ className, object }) =>
        object.kind === kind &&
        nameFor(object) === name &&
        object.metadata.namespace === namespace &&
        (className === kind || kind === "Service"),
    );
    return found && { kind: "variable", name: found.variable };
  };
  const outside = (of: ClassName, method: string, ...args: readonly string[]): Expression => {
    const id = names.give(`${place.id}-${of === "RoutedIPIssuer" ? "issuer" : "class"}`, "-");
    return call(of, method, { kind: "variable", name: place.chart.variable }, data(id), ...args.map(data));
  };
  return {
    issuer: (name, given) => {
      const namespace = given ?? metadata.namespace;
      const more = namespace === undefined ? [] : [namespace];
      return (
        find("RoutedIPIssuer", name, namespace) ?? outside("RoutedIPIssuer", "fromRoutedIPIssuerName", name, ...more)
      );
    },
    clusterClass: (name) =>
      find("ClusterRoutedIPClass", name, undefined) ??
      outside("ClusterRoutedIPClass", "fromClusterRoutedIPClassName", name),
    service: (name, namespace) => {
      const service = find("Service", name, namespace ?? metadata.namespace);
      if (service) return call("ServiceRef", "fromService", service);
      return call("ServiceRef", "fromServiceName", data(name), ...(namespace === undefined ? [] : [data(namespace)]));
    },
  };
}
