/** Pure: whether the installed CRDs have what this release needs. */

import {
  ALL_KINDS,
  type AnyKind,
  API_VERSION,
  customResourceDefinition,
  type FeatureName,
  RELEASE,
} from "cdk8s-flipop/api";
import { externalDnsFailures } from "../../messages/failed-calls.js";
import { type Finding, ok, problem } from "./finding.js";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

export const DEFINITIONS = { path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions" };

/** The part of a CustomResourceDefinition that is compared. */
export interface Definition {
  readonly metadata: {
    readonly name: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: object } }[];
  };
}

const REMEDY = "apply the CRDs of this release (docs/how-to/install.md)";

/** @param installed those of flipop's kinds that the cluster has */
export function definitionFindings(installed: readonly Definition[]): readonly Finding[] {
  return ALL_KINDS.map((kind) => {
    const wanted = customResourceDefinition(kind);
    const { name } = wanted.metadata;
    const found = installed.find(({ metadata }) => metadata.name === name);
    if (found === undefined) return problem(`CRD ${kind.kind}`, "it is not installed", REMEDY);
    const { deletionTimestamp } = found.metadata;
    if (deletionTimestamp !== undefined) return beingDeleted(kind, deletionTimestamp);
    const lacking = firstLacking(schemaOf(wanted.spec as Definition["spec"]), schemaOf(found.spec), "");
    const since = `installed ${found.metadata.creationTimestamp?.slice(0, 10) ?? "at an unknown time"}`;
    if (lacking === undefined) return ok(`CRD ${kind.kind}`, `${since}, has every field of release ${RELEASE}`);
    return problem(`CRD ${kind.kind}`, `older than release ${RELEASE}: it lacks ${lacking} (${since})`, REMEDY);
  });
}

const ENDPOINTS = "dnsendpoints.externaldns.k8s.io";

/** The CRD of external-dns, without which the operator cannot write what external-dns publishes. */
export function endpointFindings(
  installed: readonly Pick<Definition, "metadata">[],
  features: readonly FeatureName[],
): readonly Finding[] {
  if (!features.includes("externaldns")) return [];
  const found = installed.some(({ metadata }) => metadata.name === ENDPOINTS);
  const { seen, remedy } = externalDnsFailures.noKind;
  return [found ? ok("CRD DNSEndpoint", "it is installed") : problem("CRD DNSEndpoint", seen, remedy)];
}

function beingDeleted({ kind, plural }: AnyKind, since: string): Finding {
  const day = since.slice(0, 10);
  return problem(
    `CRD ${kind}`,
    `somebody deleted it on ${day}, so Kubernetes deletes all its resources, and takes no new ones`,
    `nothing ends the deletion: save the resources (kubectl get ${plural} -A -o yaml), let the operator run until they are cleaned up, then apply the CRDs of this release and the resources`,
  );
}

function schemaOf(spec: Definition["spec"]): Schema | undefined {
  return spec.versions.find(({ name }) => name === API_VERSION)?.schema?.openAPIV3Schema as Schema | undefined;
}

/** The API server adds them to every object, whatever the schema says. */
const OF_EVERY_OBJECT = ["apiVersion", "kind", "metadata"];

/** The path of the first field that a schema lacks. */
function firstLacking(wanted: Schema | undefined, found: Schema | undefined, path: string): string | undefined {
  if (wanted === undefined) return undefined;
  if (found === undefined) return path === "" ? `version ${API_VERSION}` : path;
  const names = Object.entries(wanted.properties ?? {}).filter(
    ([name]) => path !== "" || !OF_EVERY_OBJECT.includes(name),
  );
  const fields = names.map(([name, schema]) => {
    return firstLacking(schema, found.properties?.[name], path === "" ? name : `${path}.${name}`);
  });
  const inner = [
    firstLacking(wanted.items, found.items, `${path}[]`),
    firstLacking(valuesOf(wanted), valuesOf(found), `${path}.*`),
  ];
  return [...fields, ...inner].find((lacking) => lacking !== undefined);
}

function valuesOf({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
