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

/** A valid Job. */
export const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });
/** Valid Jobs. */
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
    says: 'implementation: the namespace of issuer "do" is not known: set metadata.namespace of the issuer, the namespace of its chart, or the last argument of RoutedIPIssuer.fromRoutedIPIssuerName',
  },
  builtIn(
    "a namespace for what has none",
    { metadata: { namespace: "web" } },
    'metadata.namespace: "web" is set, but a ClusterRoutedIPClass has no namespace: remove it',
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
  builtIn(
    "an allowed port that is none",
    { allowedPorts: ["80", "http"] },
    'allowedPorts[1]: "http" is not a port or a range of ports: give PORT or FROM-TO, 1 to 65535, with /TCP or /UDP if only one protocol is allowed, such as 443 or 7000-7999/UDP',
  ),
  builtIn("more ports than a status holds", { maxPorts: 257 }, "maxPorts: 257 is too large: at most 256"),
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
    "allowedNamespaces: is empty, so no RoutedIP may use the class: name a namespace, or remove the prop to allow all",
  ),
  builtIn(
    "Secrets without Jobs",
    { secrets: [SecretRef.fromSecretName("a")] },
    "secrets: have no effect, because only Jobs use them and the class has an issuer: remove them, or use ClassImplementation.jobs",
  ),
  builtIn(
    "a job namespace without Jobs",
    { jobNamespace: "jobs" },
    'jobNamespace: "jobs" has no effect, because only Jobs use it and the class has an issuer: remove it',
  ),
  withJobs(
    "firewallPostAllow without a firewall Job",
    { firewallPostAllow: true, implementation: ClassImplementation.jobs(RoutedIPJob.container({ image: "a/b:1" })) },
    "firewallPostAllow: true has no effect, because the class has no firewall Job: remove it, or add updateFirewall",
  ),
  withJobs(
    "a Secret's name with capitals",
    { secrets: [SecretRef.fromSecretName("ok"), SecretRef.fromSecretName("A")] },
    'secrets[1].name: "A" is not the name of an object: use lower-case letters, digits, "-" and ".", with a letter or digit at each end, such as "my-cloud"',
  ),
  {
    name: "a Secret outside the namespace of the Jobs",
    make: (chart) =>
      new ClusterRoutedIPClass(chart, "bad", {
        implementation: JOBS,
        jobNamespace: "jobs",
        secrets: [SecretRef.fromSecret(secret(chart))],
      }),
    says: 'secrets[0]: Secret "do" is in namespace "web", but the Jobs run in "jobs": put the Secret there',
  },
];
