import { Duration } from "cdk8s";
import { Credentials } from "../credentials";
import { DnsRecord } from "../dns-record";
import { FloatingIPPool } from "../floating-ip-pool";
import { HealthCheck } from "../health-check";
import { IpProvider } from "../ip-provider";
import { NodeMatch } from "../match/node-match";
import { PodMatch } from "../match/pod-match";
import { Toleration } from "../match/toleration";
import { NodeDNSRecordSet } from "../node-dns-record-set";
import { Publication } from "../publish-to";
import { ClassImplementation } from "../routed-ip/class-implementation";
import { ClusterRoutedIPClass } from "../routed-ip/cluster-routed-ip-class";
import { PortRange } from "../routed-ip/port-range";
import { RoutedIP } from "../routed-ip/routed-ip";
import { RoutedIPImplementation } from "../routed-ip/routed-ip-implementation";
import { RoutedIPIssuer } from "../routed-ip/routed-ip-issuer";
import { RoutedIPJob } from "../routed-ip/routed-ip-job";
import { ServiceRef } from "../routed-ip/service-ref";
import { SecretRef } from "../secret-ref";

/** The constructs that a program makes, by name. */
export const CONSTRUCTS = {
  FloatingIPPool,
  NodeDNSRecordSet,
  RoutedIP,
  RoutedIPIssuer,
  ClusterRoutedIPClass,
} as const;

/** The classes whose static methods a program calls, by name. */
export const CLASSES = {
  ...CONSTRUCTS,
  ClassImplementation,
  Credentials,
  DnsRecord,
  Duration,
  HealthCheck,
  IpProvider,
  NodeMatch,
  PodMatch,
  PortRange,
  Publication,
  RoutedIPImplementation,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
  Toleration,
} as const;

/** The names that come from cdk8s; all others come from this library. */
export const FROM_CDK8S: readonly string[] = ["ApiObject", "App", "Chart", "Duration", "JsonPatch"];
