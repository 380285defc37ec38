/** What the protobuf decoder should make of an object that came as JSON, worked out from its table and from nothing else. */
import { API_GROUP } from "cdk8s-flipop/api";
import type { KubeObject } from "../../../src/kube/objects.js";

type Json = Readonly<Record<string, unknown>>;
type Take = (value: unknown) => unknown;

const whole: Take = (value) => value;
/** Fields that protobuf never carries empty, as an empty list or `null`. */
const omitEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

const fields =
  (takes: Readonly<Record<string, Take>>): Take =>
  (value) => {
    const json = value as Json;
    const known = Object.entries(takes).map(([name, take]) => [name, json[name], take] as const);
    const there = known.filter(([, inner]) => !omitEmpty(inner));
    return Object.fromEntries(
      there.map(([name, inner, take]) => [name, take(inner)] as const).filter(([, v]) => !gone(v)),
    );
  };
/** A map of which nothing is left. */
const gone = (value: unknown) => value === undefined;
const each =
  (take: Take, keep: (item: Json) => boolean = () => true): Take =>
  (value) => {
    const items = (value as Json[]).filter(keep).map(take);
    return items.length === 0 ? undefined : items;
  };
const prefixed =
  (...prefixes: readonly string[]): Take =>
  (value) => {
    const entries = Object.entries(value as Json).filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix)));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
const all = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, whole]));
/** An empty map is absent in protobuf. */
const map: Take = (value) => (Object.keys(value as Json).length === 0 ? undefined : value);

const SERVER = "k8s.io/";
const OWN = `${API_GROUP}/`;
const metadata = (annotations: Take, more: Readonly<Record<string, Take>> = {}) =>
  fields({
    ...all("name", "namespace", "uid", "resourceVersion", "deletionTimestamp"),
    labels: map,
    annotations,
    ...more,
  });
const container = fields({ ports: each(fields(all("name", "hostPort", "containerPort", "protocol"))) });

const VIEWS: Readonly<Record<string, Take>> = {
  nodes: fields({
    metadata: metadata(prefixed(SERVER, OWN), { creationTimestamp: whole }),
    spec: fields({ ...all("providerID", "unschedulable", "taints") }),
    status: fields({
      addresses: each(fields(all("type", "address"))),
      conditions: each(fields(all("type", "status", "lastTransitionTime", "reason"))),
      nodeInfo: fields(all("kubeletVersion")),
    }),
  }),
  pods: fields({
    metadata: metadata(prefixed(SERVER)),
    spec: fields({ ...all("nodeName", "hostNetwork"), containers: each(container), initContainers: each(container) }),
    status: fields({
      phase: whole,
      podIP: whole,
      conditions: each(fields(all("type", "status", "lastTransitionTime")), ({ type }) => type === "Ready"),
    }),
  }),
  services: fields({
    metadata: metadata(prefixed(SERVER, OWN)),
    spec: fields({
      ...all("clusterIP", "type", "externalIPs", "loadBalancerSourceRanges", "loadBalancerClass"),
      selector: map,
      ports: each(fields(all("name", "protocol", "port", "targetPort", "nodePort"))),
    }),
    status: fields({ loadBalancer: fields({ ingress: each(fields(all("ip", "hostname"))) }) }),
  }),
  endpointslices: fields({
    metadata: metadata(prefixed(SERVER)),
    addressType: whole,
    endpoints: each(fields({ nodeName: whole, conditions: fields(all("ready", "serving", "terminating")) })),
  }),
};

/** @param name of the collection, for example `pods`. */
export function view(name: string, object: KubeObject): unknown {
  const take = VIEWS[name];
  if (take === undefined) throw new Error(`no view of ${name}`);
  return take(object);
}
