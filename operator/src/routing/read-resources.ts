/** The three kinds as they are stored, made safe to read: what is wrong with a spec becomes a problem. */

import type {
  ClusterRoutedIPClassSpec,
  ClusterRoutedIPClassStatus,
  RoutedIPIssuerSpec,
  RoutedIPIssuerStatus,
  RoutedIPSpec,
  RoutedIPStatus,
} from "cdk8s-flipop/api";
import type { KubeObject, ObjectMeta } from "../kube/objects.js";
import type { Problem } from "../messages/message.js";
import { isFields, isUnusableName, readSpec, specReader } from "../reconcile/read-spec.js";
import type { Stop } from "../runtime/stop-switch.js";
import { compareText } from "../values.js";
import type { Issuer, RoutedIPClass } from "./resolved-class.js";

export interface RoutedIP {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPSpec;
  readonly status: RoutedIPStatus;
  /** The operator is stopped, and plans as if the RoutedIP were paused. */
  readonly stop?: Stop;
}

export interface RoutedObject extends KubeObject {
  readonly status?: RoutedIPStatus;
}
export interface IssuerObject extends KubeObject {
  readonly status?: RoutedIPIssuerStatus;
}
export interface ClassObject extends KubeObject {
  readonly status?: ClusterRoutedIPClassStatus;
}

export interface RoutedRead {
  readonly routed: RoutedIP;
  /** Nothing moves until it is corrected. */
  readonly problem?: Problem;
  /** Parts of the spec that only a newer release serves. */
  readonly ignored?: readonly string[];
}

const issuerSpecOf = specReader("RoutedIPIssuer", () => false);
const classSpecOf = specReader("ClusterRoutedIPClass", () => false);

const EMPTY: RoutedIPSpec = { serviceRef: { serviceName: "" } };

export function readRouted({ metadata, spec, status }: RoutedObject): RoutedRead {
  const { fields, ...found } = readSpec("RoutedIP", spec, isUnusableName);
  const safe: RoutedIPSpec = { ...EMPTY, ...fields };
  const routed = { metadata, spec: safe, status: isFields(status) ? status : {} };
  return { routed, ...found };
}

export interface IssuerRead extends Issuer {
  readonly status: RoutedIPIssuerStatus;
}

export function readIssuer(object: IssuerObject | undefined): IssuerRead | undefined {
  if (object === undefined) return undefined;
  const { fields, problem } = issuerSpecOf(object.spec);
  const spec: RoutedIPIssuerSpec = { provider: "", ...fields };
  const { metadata, status = {} } = object;
  return { metadata, spec, status, ...(problem === undefined ? {} : { problem }) };
}

export interface ClassRead extends RoutedIPClass {
  readonly status: ClusterRoutedIPClassStatus;
}

export function readClass(object: ClassObject | undefined): ClassRead | undefined {
  if (object === undefined) return undefined;
  const { fields, problem } = classSpecOf(object.spec);
  const spec: ClusterRoutedIPClassSpec = { ...fields };
  const { metadata, status = {} } = object;
  return { metadata, spec, status, ...(problem === undefined ? {} : { problem }) };
}

/** A person may have stored anything under an older CRD. */
export function nameOfClass({ metadata, spec }: Pick<ClassObject, "metadata"> & { readonly spec?: unknown }): string {
  const { className } = (spec ?? {}) as { readonly className?: unknown };
  return typeof className === "string" && className !== "" ? className : metadata.name;
}

export function classNameIn(object: ClassObject | undefined): string | undefined {
  return object === undefined ? undefined : nameOfClass(object);
}

/** The object name of the class that serves a name: the oldest of those that have it. */
export function classFor(name: string, classes: Iterable<ClassObject>): string | undefined {
  const named = [...classes].filter((each) => nameOfClass(each) === name);
  return named.sort(byAge)[0]?.metadata.name;
}

function byAge({ metadata: a }: ClassObject, { metadata: b }: ClassObject): number {
  return compareText(a.creationTimestamp ?? "", b.creationTimestamp ?? "") || compareText(a.name, b.name);
}
