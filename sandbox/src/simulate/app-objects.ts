/** The objects of an app, sorted by what the simulation does with them. */

import {
  type ClusterRoutedIPClassSpec,
  type FloatingIPPoolSpec,
  GROUP_VERSION,
  type NodeDNSRecordSetSpec,
  type RoutedIPIssuerSpec,
  type RoutedIPSpec,
} from "cdk8s-flipop/api";
import type { AppLike } from "./options.js";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface Resource<Spec> extends Manifest {
  readonly metadata: Manifest["metadata"] & { readonly namespace: string };
  readonly spec: Spec;
}

/** A DaemonSet or Deployment. */
export interface Workload extends Manifest {
  readonly metadata: Manifest["metadata"] & { readonly namespace: string };
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec?: { readonly nodeSelector?: Readonly<Record<string, string>> };
    };
  };
}

export interface Service extends Manifest {
  readonly metadata: Manifest["metadata"] & { readonly namespace: string };
  readonly spec?: { readonly selector?: Readonly<Record<string, string>> };
}

export interface AppObjects {
  readonly pools: readonly Resource<FloatingIPPoolSpec>[];
  readonly nodeRecords: readonly Resource<NodeDNSRecordSetSpec>[];
  readonly routedIps: readonly Resource<RoutedIPSpec>[];
  readonly issuers: readonly Resource<RoutedIPIssuerSpec>[];
  readonly classes: readonly (Manifest & { readonly spec: ClusterRoutedIPClassSpec })[];
  readonly workloads: readonly Workload[];
  readonly services: readonly Service[];
}

/** The operator's own pods need no simulation: the simulation runs the operator. */
const OPERATOR = "app.kubernetes.io/name";

/** Synthesises the app. Throws the error of the synthesis if the app has mistakes. */
export function objectsOf(app: AppLike | readonly object[]): AppObjects {
  const all =
    "node" in app
      ? app.node
          .findAll()
          .filter(isChart)
          .flatMap((chart) => chart.toJson())
      : app;
  const objects = (all as readonly Manifest[]).map(withNamespace);
  const own = <T>(kind: string) =>
    objects.filter((one) => one.apiVersion === GROUP_VERSION && one.kind === kind) as T[];
  const workloads = objects.filter((one) => one.apiVersion === "apps/v1" && isWorkload(one)) as Workload[];
  return {
    pools: own("FloatingIPPool"),
    nodeRecords: own("NodeDNSRecordSet"),
    routedIps: own("RoutedIP"),
    issuers: own("RoutedIPIssuer"),
    classes: own("ClusterRoutedIPClass"),
    workloads: workloads.filter(({ metadata }) => metadata.labels?.[OPERATOR] !== "flipop"),
    services: objects.filter((one) => one.apiVersion === "v1" && one.kind === "Service") as Service[],
  };
}

interface ChartLike {
  toJson(): readonly object[];
}

function isChart(construct: object): construct is ChartLike {
  return "generateObjectName" in construct && "toJson" in construct;
}

function isWorkload({ kind }: Manifest): boolean {
  return kind === "DaemonSet" || kind === "Deployment";
}

const CLUSTER_KINDS = ["ClusterRoutedIPClass", "Namespace"];

function withNamespace(object: Manifest): Manifest {
  if (CLUSTER_KINDS.includes(object.kind)) return object;
  return { ...object, metadata: { namespace: "default", ...object.metadata } };
}
