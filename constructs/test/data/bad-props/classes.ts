import type { Chart } from "cdk8s";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  type ClusterRoutedIPClassProps,
  PortRange,
  RoutedIPJob,
  SecretRef,
  TaintEffect,
} from "../../../src";
import type { BadProps } from "./case";
import { issuer, secret } from "./issuers";

/** A Job that is all right. */
export const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });
/** Jobs that are all right. */
export const JOBS = ClassImplementation.jobs(JOB, JOB);

function builtIn(name: string, props: Partial<ClusterRoutedIPClassProps>, says: string): BadProps {
  const make = (chart: Chart) => {
    const implementation = ClassImplementation.issuer(issuer(chart, "flipop"));
    new ClusterRoutedIPClass(chart, "bad", { implementation, ...props });
  };
  return { name, make, says };
}

/** A class with Jobs, and bad props. */
export function withJobs(name: string, props: Partial<ClusterRoutedIPClassProps>, says: string): BadProps {
  return { name, make: (chart) => new ClusterRoutedIPClass(chart, "bad", { implementation: JOBS, ...props }), says };
}

/** Bad props of a ClusterRoutedIPClass. */
export const BAD_CLASSES: readonly BadProps[] = [
  {
    name: "an issuer without a namespace",
    make: (chart) =>
      new ClusterRoutedIPClass(chart, "bad", { implementation: ClassImplementation.issuer(issuer(chart)) }),
    says: 'implementation: the namespace of issuer "do" is not known: give it metadata.namespace (or the chart a namespace, or RoutedIPIssuer.fromRoutedIPIssuerName its last argument)',
  },
  builtIn(
    "a namespace for what has none",
    { metadata: { namespace: "web" } },
    'metadata.namespace: "web" is given, and a ClusterRoutedIPClass has no namespace: leave it out',
  ),
  builtIn(
    "a port range upside down",
    { nodePorts: PortRange.of(32767, 30000) },
    'nodePorts: "32767-30000" is not a port range: give FROM-TO with 1 <= FROM <= TO <= 65535, such as 30000-32767',
  ),
  builtIn(
    "a port range that is none",
    { nodePorts: PortRange.parse("all") },
    'nodePorts: "all" is not a port range: give FROM-TO with 1 <= FROM <= TO <= 65535, such as 30000-32767',
  ),
  builtIn("no address for each node", { perNodeIpLimit: 0 }, "perNodeIpLimit: 0 is too small: at least 1"),
  builtIn(
    "a taint outside our prefix",
    { electedNodeTaint: { key: "example.com/a" } },
    'electedNodeTaint.key: "example.com/a" is not a taint key of flipop: use flipop.digitalocean.com/ and a name of letters, digits, "-", "_" and ".", such as "flipop.digitalocean.com/routed-ip"',
  ),
  builtIn(
    "a taint that evicts",
    { electedNodeTaint: { effect: TaintEffect.NO_EXECUTE } },
    'electedNodeTaint.effect: "NoExecute" is not supported: use "NoSchedule" or "PreferNoSchedule"',
  ),
  builtIn(
    "a namespace that is allowed twice",
    { allowedNamespaces: ["a", "a"] },
    'allowedNamespaces[1]: "a" is listed twice: remove one',
  ),
  builtIn(
    "no allowed namespace",
    { allowedNamespaces: [] },
    "allowedNamespaces: is empty, so that nobody may use the class: name a namespace, or leave it out to allow all",
  ),
  builtIn(
    "Secrets without Jobs",
    { secrets: [SecretRef.named("a")] },
    "secrets: are read by Jobs only, and the class has an issuer: leave them out, or use ClassImplementation.jobs",
  ),
  builtIn(
    "a job namespace without Jobs",
    { jobNamespace: "jobs" },
    'jobNamespace: "jobs" is used by Jobs only, and the class has an issuer: leave it out',
  ),
  withJobs(
    "firewallPostAllow with Jobs",
    { firewallPostAllow: false },
    "firewallPostAllow: false has no effect on Jobs, which always assign first: leave it out",
  ),
  withJobs(
    "a Secret's name with capitals",
    { secrets: [SecretRef.named("ok"), SecretRef.named("A")] },
    'secrets[1].name: "A" is not the name of an object: use lower-case letters, digits, "-" and ".", with a letter or digit at each end, such as "my-cloud"',
  ),
  {
    name: "a Secret outside the namespace of the Jobs",
    make: (chart) =>
      new ClusterRoutedIPClass(chart, "bad", {
        implementation: JOBS,
        jobNamespace: "jobs",
        secrets: [SecretRef.of(secret(chart))],
      }),
    says: 'secrets[0]: Secret "do" is in namespace "web", and the Jobs run in "jobs": put the Secret there',
  },
];
