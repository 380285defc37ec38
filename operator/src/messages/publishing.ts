/** Objects whose status shows addresses: what is shown there, and why something is not. */

import { Annotation, LOAD_BALANCER_CLASS, MAX_GATEWAY_ADDRESSES } from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/view.js";
import { listed, listedClauses } from "../values.js";
import { COMES_FIRST, refText, STOP_WRITER } from "./claims.js";
import { note, type Problem, problem, topic } from "./message.js";

interface Target {
  /** `Service web/shop` */
  readonly target: string;
}

interface Targets {
  readonly targets: readonly string[];
}

interface Causes {
  readonly causes: readonly Problem[];
}

const TARGET: Target = { target: "Service web/shop" };
const GATEWAY: Target = { target: "Gateway web/shop" };
const TARGETS: Targets = { targets: [TARGET.target] };

export const publishingMessages = topic("publishing", {
  notAsked: note({ reason: "NotObserved", text: () => "spec has no publishTo" }),
  shown: note({
    reason: "Observed",
    text: ({ targets, ips }: Targets & { readonly ips: readonly string[] }) =>
      `${listed(targets)} ${targets.length === 1 ? "shows" : "show"} ${listed(ips)}`,
    example: { ...TARGETS, ips: ["203.0.113.7"] },
  }),
  underWay: note({
    reason: "UnderWay",
    text: ({ target }: Target) => `the operator is about to change the addresses of ${target}`,
    example: TARGET,
  }),
  tooMany: problem({
    reason: "TooManyAddresses",
    by: "author",
    text: ({ target, hidden }: Target & { readonly hidden: readonly string[] }) =>
      `${target} shows ${MAX_GATEWAY_ADDRESSES} active addresses, the most that the Gateway API allows, and not ${listed(hidden)}`,
    remedy: "publish to a Service, or divide the addresses between several resources and Gateways",
    example: { ...GATEWAY, hidden: ["203.0.113.7"] },
  }),
  noneActive: problem({
    reason: "NoneActive",
    by: "cause",
    text: ({ targets }: Targets) => `no address is active, so the operator shows none in ${listed(targets)}`,
    remedy: "read the other conditions",
    example: TARGETS,
  }),
  several: problem({
    reason: ({ causes: [first] }: Causes) => first?.reason ?? "PublishFailed",
    by: "cause",
    text: ({ causes }) => listedClauses(causes.map(({ message }) => message)),
    example: {
      causes: [
        { reason: "GatewayNotFound", message: "Gateway web/shop does not exist; fix: create it" },
        { reason: "ServiceNotFound", message: "Service web/shop does not exist; fix: create it" },
      ],
    },
  }),
  disabled: problem({
    reason: "PublishingDisabled",
    by: "administrator",
    text: () => "the operator does not serve spec.publishTo, because it runs without feature publish",
    remedy: "ask the cluster's administrator to enable the feature, or remove publishTo",
  }),
  missing: problem({
    reason: "ServiceNotFound",
    by: "author",
    text: ({ target }: Target) => `${target} does not exist`,
    remedy: `create it, with type LoadBalancer and loadBalancerClass ${LOAD_BALANCER_CLASS}, or correct publishTo`,
    example: TARGET,
  }),
  notLoadBalancer: problem({
    reason: "ServiceUnsuitable",
    by: "author",
    text: ({ target, type }: Target & { readonly type: string }) =>
      `${target} is of type ${type}, whose status has no addresses`,
    remedy: `give it type LoadBalancer and loadBalancerClass ${LOAD_BALANCER_CLASS}`,
    example: { ...TARGET, type: "ClusterIP" },
  }),
  wrongClass: problem({
    reason: "ServiceUnsuitable",
    by: "author",
    text: ({ target, loadBalancerClass }: Target & { readonly loadBalancerClass: string | undefined }) =>
      loadBalancerClass === undefined
        ? `${target} has no loadBalancerClass, so the cloud's controller owns its status`
        : `${target} has loadBalancerClass ${loadBalancerClass}, so another controller owns its status`,
    remedy: `create it anew with loadBalancerClass ${LOAD_BALANCER_CLASS}, since the class of a Service cannot change`,
    example: { ...TARGET, loadBalancerClass: undefined },
  }),
  gatewayMissing: problem({
    reason: "GatewayNotFound",
    by: "author",
    text: ({ target }: Target) => `${target} does not exist`,
    remedy: `create it, with annotation ${Annotation.publishAddresses}: "true", or correct publishTo`,
    example: GATEWAY,
  }),
  gatewayNotAllowed: problem({
    reason: "GatewayNotAllowed",
    by: "other",
    text: ({ target }: Target) => `${target} does not let the operator write its addresses`,
    remedy: `have the author of the Gateway set its annotation ${Annotation.publishAddresses} to "true" if its own controller writes no addresses, or correct publishTo`,
    example: GATEWAY,
  }),
  kindMissing: problem({
    reason: "KindNotInstalled",
    by: "administrator",
    text: ({ kind, group }: { readonly kind: string; readonly group: string }) =>
      `the API server does not serve ${kind} of ${group}`,
    remedy:
      "have the cluster's administrator install the CRDs of the Gateway API, or correct publishTo; the operator notices the CRD within a minute",
    example: { kind: "Gateway", group: "gateway.networking.k8s.io/v1" },
  }),
  kindForbidden: problem({
    reason: "KindNotInstalled",
    by: "administrator",
    text: ({ kind, group }: { readonly kind: string; readonly group: string }) =>
      `the operator may not read ${kind} of ${group}`,
    remedy: "have the cluster's administrator apply the roles of this release with feature publish",
    example: { kind: "Gateway", group: "gateway.networking.k8s.io/v1" },
  }),
  owned: problem({
    reason: "ForeignWriter",
    by: "administrator",
    text: ({ target, managers }: Target & { readonly managers: readonly string[] }) =>
      `another writer owns the addresses in the status of ${target} (${listed(managers)})`,
    remedy:
      "publish to the Service that the Gateway's controller copies the addresses from, or have the cluster's administrator stop the other writer; the operator tries again every 10 minutes, and when the addresses change",
    example: { ...GATEWAY, managers: ['conflict with "gateway-controller"'] },
  }),
  claimed: problem({
    reason: "ClaimedByOther",
    by: "other",
    text: ({ target, owner }: Target & { readonly owner: ResourceRef }) =>
      `${target} shows the addresses of ${refText(owner)}, which ${COMES_FIRST}`,
    remedy: "name another object in publishTo of one of the two resources",
    example: { ...TARGET, owner: { kind: "FloatingIPPool", namespace: "web", name: "ingress", uid: "u1" } },
  }),
  undone: problem({
    reason: "ForeignWriter",
    by: "administrator",
    text: ({ target }: Target) => `somebody else changes the addresses of ${target} again and again`,
    remedy: `${STOP_WRITER}; the operator tries again every 10 minutes`,
    example: TARGET,
  }),
  failed: problem({
    reason: "PublishFailed",
    by: "administrator",
    text: ({ target, text }: Target & { readonly text: string }) =>
      `the API server refuses to change the status of ${target} (${text})`,
    remedy:
      "the cluster's administrator has to apply the roles of this release with feature publish; the operator tries again",
    example: { ...TARGET, text: "forbidden" },
  }),
});
