/** Stands in for the EndpointSlice controller: one slice for each Service with a selector, from its pods' readiness. */

import type { ApiObject, Emulator } from "../../kubernetes/index.js";
import { at, equal, listOf, objectOf, textOf } from "../../kubernetes/json.js";
import { isReady, isTerminating } from "./pod-lifecycle.js";

const DISCOVERY = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" } as const;

/** Writes what changed. Slices go with their Services, by the garbage collector. */
export function syncEndpointSlices(kubernetes: Emulator): void {
  const pods = kubernetes.list("v1", "Pod");
  for (const service of kubernetes.list("v1", "Service")) {
    if (Object.keys(selectorOf(service)).length > 0 && !isTerminating(service)) sync(kubernetes, service, pods);
  }
}

function sync(kubernetes: Emulator, service: ApiObject, pods: readonly ApiObject[]): void {
  const { name, namespace = "", uid } = service.metadata;
  const behind = podsBehind(service, pods);
  const endpoints = behind.filter((pod) => podIp(pod) !== "").map(endpointOf);
  const ref = { ...DISCOVERY, name: `${name}-1`, namespace };
  const known = kubernetes.get(ref);
  if (known !== undefined && equal(known["endpoints"], endpoints)) return;
  if (known !== undefined) {
    kubernetes.change(ref, (slice) => ({ ...slice, endpoints }));
    return;
  }
  const labels = {
    "kubernetes.io/service-name": name,
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
  };
  const ownerReferences = [{ apiVersion: "v1", kind: "Service", name, uid, controller: true }];
  const ports = listOf(at(service, "spec", "ports")).map((port) => portOf(port, behind));
  const metadata = { name: ref.name, namespace, labels, ownerReferences };
  kubernetes.create({ ...DISCOVERY, metadata, addressType: "IPv4", ports, endpoints });
}

function podsBehind(service: ApiObject, pods: readonly ApiObject[]): readonly ApiObject[] {
  const selector = Object.entries(selectorOf(service));
  return pods.filter(
    ({ metadata: { namespace, labels = {} } }) =>
      namespace === service.metadata.namespace && selector.every(([key, value]) => labels[key] === value),
  );
}

/** A terminating pod is no longer ready, and serves while its containers answer. */
function endpointOf(pod: ApiObject) {
  const { name, namespace, uid } = pod.metadata;
  const [serving, terminating] = [isReady(pod), isTerminating(pod)];
  return {
    addresses: [podIp(pod)],
    conditions: { ready: serving && !terminating, serving, terminating },
    nodeName: textOf(at(pod, "spec", "nodeName")),
    targetRef: { kind: "Pod", name, namespace, uid },
  };
}

/** A target port by name is looked up in the pods. */
function portOf(port: unknown, pods: readonly ApiObject[]) {
  const [name, protocol, wanted] = ["name", "protocol", "targetPort"].map((field) => at(port, field));
  const all = pods.flatMap((pod) => listOf(at(pod, "spec", "containers"))).flatMap((one) => listOf(at(one, "ports")));
  const target =
    typeof wanted === "string"
      ? at(
          all.find((one) => at(one, "name") === wanted),
          "containerPort",
        )
      : wanted;
  return { name: textOf(name), protocol: textOf(protocol) || "TCP", port: target ?? at(port, "port") };
}

function selectorOf(service: ApiObject) {
  return objectOf(at(service, "spec", "selector"));
}

function podIp(pod: ApiObject): string {
  return textOf(at(pod, "status", "podIP"));
}
