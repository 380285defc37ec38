/** Jobs of a class: whether they may run, and how they end. */

import { Label } from "cdk8s-flipop/api";
import { listed } from "../values.js";
import { ENABLE } from "./failed-calls.js";
import { note, type Problem, partsOf, problem, topic } from "./message.js";

interface Refused {
  /** What the API server said. */
  readonly said: string;
}

interface ServiceAccount {
  readonly name: string;
  readonly namespace: string;
  readonly exists: boolean;
}

interface Stuck {
  /** `namespace/name`, like each Job in messages. */
  readonly job: string;
  /** The kubelet's message, or the latest Warning about the Job or its pod. */
  readonly said?: string | undefined;
}

interface Ended {
  readonly job: string;
  /** The termination message of its pod; empty: none. */
  readonly said: string;
}

export const jobMessages = topic("jobs", {
  accepted: note({ reason: "Observed", text: () => "the API server accepts its Jobs in a dry run" }),
  unhindered: note({ reason: "Observed", text: () => "nothing stands in the way of the Jobs of its class" }),
  firewallOpen: note({ reason: "Observed", text: () => "the firewall Job of the class has opened its ports" }),
  noFirewallJob: note({
    reason: "Observed",
    text: () => "the class has no updateFirewall, so the operator changes no firewall",
  }),
  moving: note({
    reason: "UnderWay",
    text: ({ node }: { readonly node: string }) =>
      `the address moves to node ${node}; a firewall Job closes the ports of the previous node afterwards`,
    example: { node: "node-2" },
  }),
  addressLost: problem({
    reason: "AddressUnknown",
    by: "author",
    text: () => "the Job that was to create an address is gone and has reported none",
    remedy: "set spec.routedIP to the address, or delete the RoutedIP and create it again",
  }),
  reportedForeign: problem({
    reason: "ClaimedByOther",
    by: "administrator",
    text: ({ conflict }: { readonly conflict: Problem }) =>
      `a Job reported that it created an address that exists: ${partsOf(conflict.message)[0]}`,
    remedy: "have the author of the class correct its Job, then create a new RoutedIP",
    example: {
      conflict: { reason: "ClaimedByOther", message: "203.0.113.7 belongs to RoutedIP game/lobby, which created it" },
    },
  }),
  disabled: problem({
    reason: "JobsDisabled",
    by: "administrator",
    text: () => "the operator runs without feature jobs",
    remedy: ENABLE,
  }),
  disabledForClass: problem({
    reason: "JobsDisabled",
    by: "administrator",
    text: ({ name }: { readonly name: string }) =>
      `ClusterRoutedIPClass ${name} uses Jobs, and the operator runs without feature jobs`,
    remedy: ENABLE,
    example: { name: "rack" },
  }),
  namespaceNotAllowed: problem({
    reason: "NamespaceNotAllowed",
    by: "administrator",
    text: ({ namespace, allowed }: { readonly namespace: string; readonly allowed: readonly string[] }) =>
      `jobNamespace is "${namespace}"; Jobs may run in ${listed(allowed)}`,
    remedy: "use one of them, or have the cluster's administrator add it to --job-namespaces",
    example: { namespace: "web", allowed: ["flipop-jobs"] },
  }),
  refusedByClass: problem({
    reason: "JobRefused",
    by: "cause",
    text: ({ name, said }: Refused & { readonly name: string }) => `ClusterRoutedIPClass ${name} is not ready: ${said}`,
    example: { name: "rack", said: `the operator runs without feature jobs; fix: ${ENABLE}` },
  }),
  accountNotLabelled: problem({
    reason: "JobRefused",
    by: "administrator",
    text: ({ name, namespace, exists }: ServiceAccount) => {
      const seen = exists ? `has no label ${Label.job}` : "does not exist";
      return `serviceAccountName is "${name}", and ServiceAccount ${namespace}/${name} ${seen}`;
    },
    remedy: "leave it out, or have the cluster's administrator create and label the ServiceAccount",
    example: { name: "flipop", namespace: "jobs", exists: true },
  }),
  podNotStarted: problem({
    reason: "JobRefused",
    by: "administrator",
    text: ({ job, said = "neither Kubernetes nor the kubelet gives a reason" }: Stuck) =>
      `the pod of Job ${job} has not started (${said})`,
    remedy: "have the author of the class correct its Job",
    example: { job: "flipop-jobs/flipop-1234", said: 'CreateContainerConfigError: secret "my-cloud" not found' },
  }),
  failed: problem({
    reason: "JobFailed",
    by: "administrator",
    text: ({ job, said }: Ended) => `Job ${job} failed: ${said || "no termination message"}`,
    remedy: "the operator tries again; if this lasts, have the author of the class correct its Job",
    example: { job: "flipop-jobs/flipop-1234", said: "no route to the rack" },
  }),
  addressNotReported: problem({
    reason: "AddressUnknown",
    by: "author",
    text: ({ job, said }: Ended) =>
      `Job ${job} completed, but did not report the address that it created as {"routedIP": "..."} in its termination message: it said ${said === "" ? "nothing" : `"${said}"`}`,
    remedy: "set spec.routedIP to the address",
    example: { job: "flipop-jobs/flipop-1234", said: "done" },
  }),
  firewallJobFailed: problem({
    reason: ({ cause }: { readonly cause: Problem }) => cause.reason,
    by: "cause",
    text: ({ className, cause }: { readonly className: string; readonly cause: Problem }) =>
      `class ${className} has one firewall Job for all of its RoutedIPs: ${cause.message}`,
    example: {
      className: "rack",
      cause: { reason: "JobFailed", message: "Job flipop-jobs/flipop-1234 failed: no route" },
    },
  }),
  refusedInDryRun: problem({
    reason: "JobRefused",
    by: "administrator",
    text: ({ said }: Refused) => `the API server refuses a Job of this class: ${said}`,
    remedy: "have the author of the class correct its Jobs",
    example: { said: 'Job.batch "x" is invalid: spec.template.spec.containers: Required value' },
  }),
});
