import { Chart } from "cdk8s";
import type { IConstruct } from "constructs";
import { looksComplete, normalRecordName } from "../../api/kinds/record-name";
import { providerNamed } from "../../api/providers";
import { isObject, type JsonObject } from "../../api/schema/schema";
import { apiObjectOf, objectAt } from "../manifest";
import { exceededQuota } from "./account-quota";
import type { FlipopObject } from "./app-index";
import type { AppCheck } from "./check-claims";
import { type Doubt, listOf, objectsOf, recordSetOf } from "./claims";
import { warn } from "./emit-warning";
import { imageWarning } from "./image-warning";
import { referencesFrom } from "./needs-before-synth";
import { reservedRange } from "./special-ranges";

type AppFacts = Pick<AppCheck, "index" | "propOf">;

/** Warns about values of a resource that are valid, but probably not intended. */
export function warnAbout(resource: FlipopObject, facts: AppFacts): void {
  const { object } = resource;
  for (const { path, message } of doubts(resource, facts)) {
    warn(object.node.scope ?? object, `${facts.propOf(path)}: ${message}`);
  }
}

function doubts(resource: FlipopObject, facts: AppFacts): readonly Doubt[] {
  return [
    ...reclaimDoubts(resource, facts),
    ...addressDoubts(resource),
    ...recordDoubts(resource),
    ...imageDoubts(resource.spec),
    ...replicaDoubts(resource, facts),
    ...exceededQuota(resource, facts.index),
  ];
}

const RECLAIM_FIELDS: Readonly<Record<string, string>> = {
  "spec.reclaimPolicy": "releases a created address for good when nothing needs it any more",
  "spec.routedIPReclaimPolicy": "releases a created address for good when its RoutedIP is deleted",
  "spec.dnsRecordSet.deletionPolicy": "deletes the record set when the resource is deleted",
};

function reclaimDoubts({ object, spec }: FlipopObject, { index }: AppFacts): readonly Doubt[] {
  const production = productionName(object, index.clusterOf(object));
  if (production === undefined) return [];
  const values: Readonly<Record<string, unknown>> = {
    "spec.reclaimPolicy": spec.reclaimPolicy,
    "spec.routedIPReclaimPolicy": spec.routedIPReclaimPolicy,
    "spec.dnsRecordSet.deletionPolicy": objectAt(spec, "dnsRecordSet").deletionPolicy,
  };
  return Object.entries(RECLAIM_FIELDS).flatMap(([path, effect]) => {
    if (values[path] !== "Delete") return [];
    const message = `Delete in production ("${production}"): the operator ${effect}. Consider ReclaimPolicy.RETAIN`;
    return [{ path, message }];
  });
}

/** The provider assigns only public addresses. */
function addressDoubts({ kind, spec }: FlipopObject): readonly Doubt[] {
  const listed = listOf(spec.ips).map((ip, index) => [`spec.ips[${index}]`, ip] as const);
  const all = kind === "RoutedIP" ? [["spec.routedIP", spec.routedIP] as const] : listed;
  return all.flatMap(([path, ip]) => {
    const reserved = typeof ip === "string" ? reservedRange(ip) : undefined;
    if (!reserved) return [];
    const { range, use } = reserved;
    const message = `"${ip}" is not a public address (${range} is for ${use}), so no provider has it: list a reserved IP of the account`;
    return [{ path, message }];
  });
}

function recordDoubts({ kind, spec }: FlipopObject): readonly Doubt[] {
  const { recordSet, provider } = recordSetOf(kind, spec);
  const { recordName, zone, ttl } = recordSet;
  if (typeof recordName !== "string" || typeof zone !== "string") return [];
  const path = "spec.dnsRecordSet";
  const swapped = `name "${recordName}" and zone "${zone}" look swapped: the first argument is the name, the second the zone`;
  const name = areSwapped(recordName, zone) ? [{ path, message: swapped }] : completionDoubts(recordName, zone);
  return [...name, ...ttlDoubts(provider ?? "", ttl)];
}

/** Of a name that probably means another zone. */
function completionDoubts(recordName: string, zone: string): readonly Doubt[] {
  const { fqdn } = normalRecordName({ recordName, zone });
  if (!looksComplete(recordName, fqdn)) return [];
  const message = `name "${recordName}" does not end with ".${zone}", so the record is "${fqdn}": give the zone of the name or, if you mean this record, its full name`;
  return [{ path: "spec.dnsRecordSet", message }];
}

/** A zone is a domain name or an id of 32 digits; a name in the zone may be shorter, but does not contain the zone. */
function areSwapped(recordName: string, zone: string): boolean {
  const [name, domain] = [recordName, zone].map((text) => text.toLowerCase().replace(/\.$/, ""));
  if (name === undefined || domain === undefined || name === domain) return false;
  const isZone = (text: string): boolean => text.includes(".") || ZONE_ID.test(text);
  return domain.endsWith(`.${name}`) || ZONE_ID.test(name) || (isZone(name) && !isZone(domain));
}

const ZONE_ID = /^[0-9a-f]{32}$/;

function ttlDoubts(provider: string, ttl: unknown): readonly Doubt[] {
  const { title, ttl: allowed } = providerNamed(provider) ?? {};
  if (!allowed || typeof ttl !== "number" || ttl === 0 || ttl >= allowed.least || ttl === allowed.automatic) return [];
  const message = `${ttl} seconds is less than the ${allowed.least} seconds that ${title} supports: the operator uses the nearest supported TTL`;
  return [{ path: "spec.dnsRecordSet.ttl", message }];
}

function imageDoubts(spec: JsonObject): readonly Doubt[] {
  return ["updateRoutedIP", "updateFirewall"].flatMap((field) => {
    const containers = objectsOf(objectAt(spec, field, "template", "spec").containers);
    return containers.flatMap(({ image }, index) => {
      const message = imageWarning(image);
      const path = `spec.${field}.template.spec.containers[${index}].image`;
      return message === undefined ? [] : [{ path, message }];
    });
  });
}

/** With one pod, a failing check leaves no candidate. */
function replicaDoubts({ object }: FlipopObject, { index }: AppFacts): readonly Doubt[] {
  return referencesFrom(object).flatMap((reference) => {
    const workload = apiObjectOf(reference);
    const spec = objectAt(workload && index.manifestOf(workload).json, "spec");
    const containers = objectsOf(objectAt(spec, "template", "spec").containers);
    const checked = containers.some((one) => isObject(one.readinessProbe) || isObject(one.livenessProbe));
    if (!workload || spec.replicas !== 1 || !checked) return [];
    const message = `${workload.kind} "${workload.name}" has 1 replica and a health check: while the check fails, or another pod replaces this one, no node is a candidate. Use 2 replicas`;
    return [{ path: "spec.match.podLabel", message }];
  });
}

const PRODUCTION = /(^|[^a-z])(prod|production)($|[^a-z])/i;

/** The name that says that a construct is for production: of its cluster, a construct around it, or a label's value. */
function productionName(construct: IConstruct, cluster: string): string | undefined {
  const chart = Chart.of(construct);
  const ids = construct.node.scopes.slice(0, -1).map(({ node }) => node.id);
  const names = [cluster, ...ids, chart.namespace ?? "", ...Object.values(chart.labels)];
  return names.find((name) => typeof name === "string" && PRODUCTION.test(name));
}
