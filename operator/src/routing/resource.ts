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
import type { Problem } from "../reconcile/conditions/problem.js";
import { isFields, readSpec } from "../reconcile/read-spec.js";
import type { Issuer, RoutedIPClass } from "./resolved-class.js";

export interface RoutedIP {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPSpec;
  readonly status: RoutedIPStatus;
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
}

const EMPTY: RoutedIPSpec = { serviceRef: { serviceName: "" } };

export function readRouted({ metadata, spec, status }: RoutedObject): RoutedRead {
  const { fields, problem } = readSpec("RoutedIP", spec, () => false);
  const safe: RoutedIPSpec = { ...EMPTY, ...fields };
  const routed = { metadata, spec: safe, status: isFields(status) ? status : {} };
  return { routed, ...(problem === undefined ? {} : { problem }) };
}

export interface IssuerRead extends Issuer {
  readonly status: RoutedIPIssuerStatus;
  readonly problem?: Problem;
}

export function readIssuer(object: IssuerObject | undefined): IssuerRead | undefined {
  if (object === undefined) return undefined;
  const { fields, problem } = readSpec("RoutedIPIssuer", object.spec, () => false);
  const spec: RoutedIPIssuerSpec = { provider: "", ...fields };
  const { metadata, status = {} } = object;
  return { metadata, spec, status, ...(problem === undefined ? {} : { problem }) };
}

export interface ClassRead extends RoutedIPClass {
  readonly status: ClusterRoutedIPClassStatus;
  readonly problem?: Problem;
}

export function readClass(object: ClassObject | undefined): ClassRead | undefined {
  if (object === undefined) return undefined;
  const { fields, problem } = readSpec("ClusterRoutedIPClass", object.spec, () => false);
  const spec: ClusterRoutedIPClassSpec = { ...fields };
  const { metadata, status = {} } = object;
  return { metadata, spec, status, ...(problem === undefined ? {} : { problem }) };
}
