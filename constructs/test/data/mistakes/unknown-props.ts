import { Duration } from "cdk8s";
import { DnsRecord, FlipopCrds, PodMatch, RoutedIPJob, TaintEffect } from "../../../src";
import { untyped } from "../../support/untyped";
import { clusterClass, issuer, job, type Mistake, NO_PROP, operator, pool, routedIp, UPDATE } from "./make";

const ALL_RESOURCE_PROPS =
  "the props are pods, nodes, tolerations, region, provider, desiredIps, ips, ipFamily, assignmentCoolOff, gracePeriod, maxMovesPerMinute, nodePreference, reclaimPolicy, dnsRecord, healthCheck, holderLabel, untilAssigned, publishTo, paused, metadata, cluster";

function pod(fields: object): { readonly [field: string]: unknown } {
  return { template: { spec: { containers: [{ name: "a", image: "a" }], ...fields } } };
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

/** Unknown and misspelt keys, and names of YAML fields. */
export const UNKNOWN_PROPS: readonly Mistake[] = [
  ["an unknown prop", pool({ ports: [80] }), `ports: a list ${NO_PROP} ${ALL_RESOURCE_PROPS}`],
  [
    "a field of YAML in another case",
    routedIp(() => ({ routedIp: "192.0.2.1" })),
    `routedIp: "192.0.2.1" ${NO_PROP} use address`,
  ],
  [
    "a similar prop beside the right one",
    pool({ region: "nyc3", regions: ["ams3"] }),
    `regions: a list ${NO_PROP} use region`,
  ],
  [
    "the names of other types in metadata",
    pool({ metadata: { label: { a: "b" } } }),
    `metadata.label: an object ${NO_PROP} use labels`,
  ],
  [
    "an unknown key in metadata",
    pool({ metadata: { deletionTimestamp: "x" } }),
    `metadata.deletionTimestamp: "x" ${NO_PROP} the props are name, namespace, labels, annotations, finalizers, ownerReferences`,
  ],
  [
    "a misspelt option of a record",
    pool({ dnsRecord: DnsRecord.digitalOcean("www", "example.com", untyped({ tll: Duration.minutes(1) })) }),
    `dnsRecord.tll: an object ${NO_PROP} use ttl`,
  ],
  [
    "a misspelt option of pods",
    pool({ pods: PodMatch.selector("a=b", untyped({ nameSpace: "web" })) }),
    `pods.nameSpace: "web" ${NO_PROP} use namespace`,
  ],
  [
    "a misspelt key of a taint",
    clusterClass({ electedNodeTaint: { efect: TaintEffect.NO_SCHEDULE } }),
    `electedNodeTaint.efect: "NoSchedule" ${NO_PROP} use effect`,
  ],
  [
    "a misspelt key of a container",
    job(() => RoutedIPJob.container(untyped({ image: "a", argz: ["x"] }))),
    `${UPDATE}.argz: a list ${NO_PROP} use args`,
  ],
  [
    "an unknown key of a container",
    job(() => RoutedIPJob.container(untyped({ image: "a", resources: {} }))),
    `${UPDATE}.resources: an object ${NO_PROP} the props are image, command, args, env, serviceAccountName, mountToken, userId, timeout`,
  ],
  [
    "a misspelt field of a Job",
    job(() =>
      RoutedIPJob.spec({ activeDeadlineSecond: 5, template: { spec: { containers: [{ name: "a", image: "a" }] } } }),
    ),
    `${UPDATE}.activeDeadlineSecond: 5 is given, but there is no such field: use activeDeadlineSeconds`,
  ],
  [
    "a misspelt field of a Job's pod",
    job(() => RoutedIPJob.spec({ template: { spec: { volume: [], containers: [{ name: "a", image: "a" }] } } })),
    `${UPDATE}.template.spec.volume: a list is given, but there is no such field: use volumes`,
  ],
  [
    "a misspelt field of a Job's container",
    job(() => RoutedIPJob.spec({ template: { spec: { containers: [{ name: "a", image: "a", comand: ["x"] }] } } })),
    `${UPDATE}.template.spec.containers[0].comand: a list is given, but there is no such field: use command`,
  ],
  [
    "a misspelt field of a Job's volume",
    job(() => RoutedIPJob.spec(pod({ volumes: [{ name: "a", secret: { secretname: "a" } }] }))),
    `${UPDATE}.template.spec.volumes[0].secret.secretname: "a" is given, but there is no such field: use secretName`,
  ],
  [
    "a misspelt field of a Job's toleration",
    job(() => RoutedIPJob.spec(pod({ tolerations: [{ operater: "Exists" }] }))),
    `${UPDATE}.template.spec.tolerations[0].operater: "Exists" is given, but there is no such field: use operator`,
  ],
  [
    "a misspelt source of a Job's variable",
    job(() =>
      RoutedIPJob.spec(
        pod({
          containers: [
            { name: "a", image: "a", env: [{ name: "A", valueFrom: { secretKeyRef: { name: "a", keys: "b" } } }] },
          ],
        }),
      ),
    ),
    `${UPDATE}.template.spec.containers[0].env[0].valueFrom.secretKeyRef.keys: "b" is given, but there is no such field: use key`,
  ],
  [
    "a misspelt field of a term of an operator's affinity",
    operator({ affinity: { podAffinity: { [REQUIRED]: [{ topologyKye: "zone" }] } } }),
    `affinity.podAffinity.${REQUIRED}[0].topologyKye: "zone" is given, but there is no such field: use topologyKey`,
  ],
  [
    "an unknown prop of an operator",
    operator({ serviceMonitor: true }),
    `serviceMonitor: true ${NO_PROP} the props are name, namespace, createNamespaces, features, watchNamespaces, podNamespaces, issuerNamespaces, jobNamespaces, digitalOcean, cloudflare, tokenFiles, image, imagePullSecrets, replicas, serviceAccountName, nodeSelector, tolerations, priorityClassName, podAnnotations, affinity, cpuRequest, cpuLimit, memoryRequest, memoryLimit, env, extraArgs, debug, dryRun, resync, shutdownTimeout, fastFailover, aggregateUserRoles, tenantLimits, admissionPolicy, networkPolicy, networkPolicyPorts, networkPolicyDnsPorts, scrape, alertRules, dashboard, monitoringLabels, cluster`,
  ],
  [
    "a prop of CustomResourceDefinitions",
    (chart) => new FlipopCrds(chart, "bad", untyped({ clusters: "prod" })),
    `clusters: "prod" ${NO_PROP} use cluster`,
  ],
  [
    "match of YAML",
    pool({ match: { podLabel: "app=web" } }),
    `match: an object ${NO_PROP} use pods, nodes, tolerations`,
  ],
  ["podLabel of YAML", pool({ podLabel: "app=web" }), `podLabel: "app=web" ${NO_PROP} use pods`],
  ["nodeLabel of YAML", pool({ nodeLabel: "a=b" }), `nodeLabel: "a=b" ${NO_PROP} use nodes`],
  ["dnsRecordSet of YAML", pool({ dnsRecordSet: {} }), `dnsRecordSet: an object ${NO_PROP} use dnsRecord`],
  ["seconds of YAML", pool({ gracePeriodSeconds: 30 }), `gracePeriodSeconds: 30 ${NO_PROP} use gracePeriod`],
  ["spec of YAML", pool({ spec: {} }), `spec: an object ${NO_PROP} give the fields of the spec as props`],
  ["a name outside of metadata", pool({ name: "web" }), `name: "web" ${NO_PROP} use metadata`],
  [
    "a field of an issuer",
    issuer({ credentialsSecretRef: { name: "do" } }),
    `credentialsSecretRef: an object ${NO_PROP} use credentials`,
  ],
  [
    "fields of a RoutedIP",
    routedIp(() => ({ serviceRef: {}, routedIP: "192.0.2.1" })),
    `serviceRef: an object ${NO_PROP} use service`,
    `routedIP: "192.0.2.1" ${NO_PROP} use address`,
  ],
];
