import { ApiObject, type Chart, Duration } from "cdk8s";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
  TaintEffect,
} from "../../../src";
import { type Make, many, type PropClaim } from "./claim";

const issuer = (chart: Chart) => RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "do", "flipop");
const builtIn =
  (props: object): Make =>
  (chart) =>
    new ClusterRoutedIPClass(chart, "it", { implementation: ClassImplementation.issuer(issuer(chart)), ...props });
const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });
const withJobs =
  (props: object): Make =>
  (chart) =>
    new ClusterRoutedIPClass(chart, "it", { implementation: ClassImplementation.jobs(JOB, JOB), ...props });
const job =
  (container: object): Make =>
  (chart) => {
    const made = RoutedIPJob.container({ image: "registry.example/update:1", ...container });
    new ClusterRoutedIPClass(chart, "it", { implementation: ClassImplementation.jobs(made, JOB) });
  };
const service =
  (spec: object): Make =>
  (chart) => {
    const made = new ApiObject(chart, "service", { apiVersion: "v1", kind: "Service", spec });
    const implementation = RoutedIPImplementation.issuer(issuer(chart));
    new RoutedIP(chart, "it", { implementation, service: ServiceRef.fromService(made) });
  };

/** Of a RoutedIP, its class and the Jobs of a class. */
export const ROUTED_IP_CLAIMS: readonly PropClaim[] = [
  [
    "RoutedIPProps.service",
    "A Service of this app that is headless or of type ExternalName is refused",
    [service({ selector: { app: "a" } })],
    [
      service({ type: "ExternalName", externalName: "a.example.com" }),
      service({ selector: { app: "a" }, clusterIP: "None" }),
    ],
  ],
  [
    "ClusterRoutedIPClassProps.firewallPostAllow",
    "Refused if the class has Jobs, but none for the firewall",
    [builtIn({ firewallPostAllow: true }), withJobs({ firewallPostAllow: true })],
    [
      withJobs({
        firewallPostAllow: true,
        implementation: ClassImplementation.jobs(RoutedIPJob.container({ image: "a/b:1" })),
      }),
    ],
  ],
  [
    "ClusterRoutedIPClassProps.perNodeIpLimit",
    "1 to 100",
    [builtIn({ perNodeIpLimit: 1 }), builtIn({ perNodeIpLimit: 100 })],
    [builtIn({ perNodeIpLimit: 0 }), builtIn({ perNodeIpLimit: 101 })],
  ],
  [
    "ClusterRoutedIPClassProps.secrets",
    "16 at most",
    [withJobs({ secrets: many(16, (i) => `s-${i}`).map((name) => SecretRef.fromSecretName(name)) })],
    [withJobs({ secrets: many(17, (i) => `s-${i}`).map((name) => SecretRef.fromSecretName(name)) })],
  ],
  [
    "ClusterRoutedIPClassProps.secrets",
    "Refused if the class has an issuer",
    [],
    [builtIn({ secrets: [SecretRef.fromSecretName("a")] })],
  ],
  [
    "ClusterRoutedIPClassProps.jobNamespace",
    "Refused if the class has an issuer",
    [withJobs({ jobNamespace: "jobs" })],
    [builtIn({ jobNamespace: "jobs" })],
  ],
  [
    "ClusterRoutedIPClassProps.allowedNamespaces",
    "256 at most. An empty list is refused",
    [builtIn({ allowedNamespaces: many(256, (i) => `n-${i}`) })],
    [builtIn({ allowedNamespaces: many(257, (i) => `n-${i}`) }), builtIn({ allowedNamespaces: [] })],
  ],
  [
    "ClusterRoutedIPClassProps.maxPorts",
    "0 to 256",
    [builtIn({ maxPorts: 0 }), builtIn({ maxPorts: 256 })],
    [builtIn({ maxPorts: 257 }), builtIn({ maxPorts: -1 })],
  ],
  [
    "ClusterRoutedIPClassProps.allowedPorts",
    "64 entries at most",
    [builtIn({ allowedPorts: many(64, (i) => `${2000 + i}`) })],
    [builtIn({ allowedPorts: many(65, (i) => `${2000 + i}`) })],
  ],
  [
    "ClusterRoutedIPClassProps.startDeadline",
    "whole seconds, 10 seconds to 10 minutes",
    [withJobs({ startDeadline: Duration.seconds(10) }), withJobs({ startDeadline: Duration.minutes(10) })],
    [
      withJobs({ startDeadline: Duration.seconds(9) }),
      withJobs({ startDeadline: Duration.seconds(601) }),
      withJobs({ startDeadline: Duration.millis(10_500) }),
    ],
  ],
  [
    "ElectedNodeTaint.key",
    "It must begin with `flipop.digitalocean.com/`",
    [builtIn({ electedNodeTaint: { key: "flipop.digitalocean.com/a" } })],
    [builtIn({ electedNodeTaint: { key: "example.com/a" } })],
  ],
  [
    "ElectedNodeTaint.effect",
    "NO_EXECUTE is refused",
    [builtIn({ electedNodeTaint: { effect: TaintEffect.NO_SCHEDULE } })],
    [builtIn({ electedNodeTaint: { effect: TaintEffect.NO_EXECUTE } })],
  ],
  [
    "RoutedIPJobContainer.timeout",
    "whole seconds, 1 second to 10 minutes",
    [job({ timeout: Duration.seconds(1) }), job({ timeout: Duration.minutes(10) })],
    [
      job({ timeout: Duration.seconds(0) }),
      job({ timeout: Duration.seconds(601) }),
      job({ timeout: Duration.millis(1500) }),
    ],
  ],
  [
    "RoutedIPJobContainer.userId",
    "1 to 2147483647; root (0) is refused",
    [job({ userId: 1 }), job({ userId: 2_147_483_647 })],
    [job({ userId: 0 }), job({ userId: 2_147_483_648 })],
  ],
  [
    "RoutedIPJobContainer.env",
    "names of variables that the operator sets are refused",
    [job({ env: { MODE: "a" } })],
    [job({ env: { ROUTED_IP: "a" } })],
  ],
  [
    "ClusterRoutedIPClassProps.allowedAddresses",
    "64 entries at most",
    [builtIn({ allowedAddresses: many(64, (i) => `203.0.113.${i}/32`) }), builtIn({ allowedAddresses: ["Created"] })],
    [builtIn({ allowedAddresses: many(65, (i) => `203.0.113.${i}/32`) }), builtIn({ allowedAddresses: ["203.0.113"] })],
  ],
  [
    "ClusterRoutedIPClassProps.allowedZones",
    "64 at most: domain names, or ids of zones",
    [builtIn({ allowedZones: many(64, (i) => `a${i}.example.com`) })],
    [builtIn({ allowedZones: many(65, (i) => `a${i}.example.com`) }), builtIn({ allowedZones: ["a b"] })],
  ],
  [
    "ClusterRoutedIPClassProps.allowedNames",
    "64 at most",
    [builtIn({ allowedNames: many(64, (i) => `a${i}.example.com`) })],
    [builtIn({ allowedNames: many(65, (i) => `a${i}.example.com`) })],
  ],
];
