/** Services of type LoadBalancer whose class is the operator's: no other controller writes their status. */

import { LOAD_BALANCER_CLASS } from "cdk8s-flipop/api";
import { JSON_PATCH, type Patch } from "../../kube/write/patch.js";
import type { Problem } from "../../messages/message.js";
import { publishingMessages } from "../../messages/publishing.js";
import type { TargetFacts } from "../../publishing/publications.js";
import type { ServiceFacts } from "../../routing/service.js";
import type { SharedServices } from "../../routing/service-watches.js";
import { type TargetKind, type TargetObject, targetsIn } from "./target-kind.js";

const KIND = "Service";

export function serviceTargets(services: SharedServices): TargetKind {
  const isRead = () => services.parts.every((part) => part.hasSynced());
  return {
    ...{ kind: KIND, plural: "services", controller: "publications" },
    look: (key) => (isRead() ? factsOfService(`${KIND} ${key}`, services.get(key)) : undefined),
    ...targetsIn({ caches: () => services.caches, hasRuns: isOurService, objectOf }),
    path: servicePath,
    patch: ({ metadata: { uid } }, ips) => servicePatch(uid, ips),
  };
}

function objectOf({ name, namespace, uid, ingress }: ServiceFacts): TargetObject {
  return { metadata: { name, namespace, uid, resourceVersion: "" }, shown: ingress, all: ingress, allowed: true };
}

/** @param target `Service web/shop` */
export function factsOfService(target: string, service: ServiceFacts | undefined): TargetFacts {
  if (service === undefined) return { problem: publishingMessages.missing({ target }), shown: [] };
  const problem = problemOf(target, service);
  return { shown: service.ingress, ...(problem && { problem }) };
}

/** Whether the operator may write its status. */
function isOurService({ type, loadBalancerClass }: ServiceFacts): boolean {
  return type === "LoadBalancer" && loadBalancerClass === LOAD_BALANCER_CLASS;
}

function problemOf(target: string, service: ServiceFacts): Problem | undefined {
  if (isOurService(service)) return undefined;
  const { type, loadBalancerClass } = service;
  if (type !== "LoadBalancer") return publishingMessages.notLoadBalancer({ target, type });
  return publishingMessages.wrongClass({ target, loadBalancerClass });
}

function servicePath(key: string): string {
  const [namespace = "", name = ""] = key.split("/");
  return `/api/v1/namespaces/${namespace}/services/${name}`;
}

/**
 * Of `/status`. A 422: the Service is another one now, or has another class. Traffic arrives with the address of the node,
 * not with the published one: mode Proxy says so, and kube-proxy does not catch connections to the address.
 */
function servicePatch(uid: string, ips: readonly string[]): Patch {
  const ingress = ips.map((ip) => ({ ip, ipMode: "Proxy" }));
  return {
    contentType: JSON_PATCH,
    body: [
      { op: "test", path: "/metadata/uid", value: uid },
      { op: "test", path: "/spec/loadBalancerClass", value: LOAD_BALANCER_CLASS },
      { op: "add", path: "/status/loadBalancer", value: ips.length === 0 ? {} : { ingress } },
    ],
  };
}
