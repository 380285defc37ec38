/** A Service or a Gateway of `publishTo` does not show the active addresses. */

import { MAX_GATEWAY_ADDRESSES, type PublicationKind } from "cdk8s-flipop/api";
import { factsOfGateway, type Reading, slimGateways } from "../../src/controllers/publications/gateways.js";
import { factsOfService } from "../../src/controllers/publications/services.js";
import type { Problem } from "../../src/messages/message.js";
import { publishingMessages } from "../../src/messages/publishing.js";
import { mostAddresses } from "../../src/publishing/publications.js";
import { publishedConditions } from "../../src/publishing/published-addresses.js";
import { slimServices } from "../../src/routing/service.js";
import { pool } from "./pool-scenes.js";
import type { Group, Seen } from "./situation.js";
import { seenIn } from "./situation.js";

const METADATA = { name: "web", namespace: "default", uid: "u1", resourceVersion: "1" };
const ADDRESSES = { active: ["203.0.113.7"], kept: [] };

function seenOf(kind: PublicationKind, problem: Problem | undefined): Seen {
  const view = { target: `${kind} default/web`, most: mostAddresses(kind), shown: [], ...(problem && { problem }) };
  return seenIn({ conditions: publishedConditions({ publications: [view] }, ADDRESSES, false) }, "Published");
}

function service(spec: object | undefined): Seen {
  const facts = spec === undefined ? undefined : slimServices({ metadata: METADATA, spec });
  return seenOf("Service", factsOfService("Service default/web", facts).problem);
}

function gateway(reading: Reading, exists: boolean): Seen {
  const facts = exists ? slimGateways({ metadata: METADATA }) : undefined;
  return seenOf("Gateway", factsOfGateway("Gateway default/web", reading, facts)?.problem);
}

function full(): Seen {
  const ips = Array.from({ length: MAX_GATEWAY_ADDRESSES + 1 }, (_, index) => `203.0.113.${index + 10}`);
  const view = { target: "Gateway default/web", most: mostAddresses("Gateway"), shown: ips.slice(1) };
  const addresses = { active: ips, kept: [] };
  return seenIn({ conditions: publishedConditions({ publications: [view] }, addresses, false) }, "Published");
}

function owned(): Seen {
  const managers = ['conflict with "gateway-controller"'];
  return seenOf("Gateway", publishingMessages.owned({ target: "Gateway default/web", managers }));
}

export const PUBLISHING: readonly Group[] = [
  {
    heading: "The status of a Service or a Gateway does not show an active address",
    situations: [
      pool({
        when: "The Service does not exist",
        shows: "Published ServiceNotFound",
        names: ["Service default/web", "loadBalancerClass"],
        seen: () => service(undefined),
        fix: "Create the Service, or correct `publishTo`",
      }),
      pool({
        when: "The Service belongs to the cloud's controller",
        shows: "Published ServiceUnsuitable",
        names: ["Service default/web", "flipop.digitalocean.com/reserved-ip"],
        seen: () => service({ type: "LoadBalancer" }),
        fix: "Delete the Service and create it again with the operator's `loadBalancerClass`: Kubernetes does not let you change it",
      }),
      pool({
        when: "The Gateway does not exist",
        shows: "Published GatewayNotFound",
        names: ["Gateway default/web"],
        seen: () => gateway("read", false),
        fix: "Create the Gateway, or correct `publishTo`",
      }),
      pool({
        when: "The Gateway does not allow addresses",
        shows: "Published GatewayNotAllowed",
        names: ["Gateway default/web", "flipop.digitalocean.com/publish-addresses"],
        seen: () => gateway("read", true),
        fix: "If the Gateway's own controller writes no addresses, set the annotation. Else publish to the Service that the controller copies from",
      }),
      pool({
        when: "The cluster has no CRD of Gateways",
        shows: "Published KindNotInstalled",
        names: ["gateway.networking.k8s.io/v1"],
        seen: () => gateway("absent", false),
        fix: "Have the cluster's administrator install the Gateway API, or correct `publishTo`",
      }),
      pool({
        when: "The operator may not read Gateways",
        shows: "Published KindNotInstalled",
        names: ["the roles of this release"],
        seen: () => gateway("forbidden", false),
        fix: "Apply the manifests of this release with feature `publish`",
      }),
      pool({
        when: "The Gateway's own controller writes its addresses",
        shows: "Published ForeignWriter",
        names: ["Gateway default/web", "gateway-controller"],
        seen: owned,
        fix: "Publish to the Service that the controller copies from: [Which Gateways](publish-addresses.md#which-gateways)",
      }),
      pool({
        when: "More than 16 addresses are active, and `publishTo` names a Gateway",
        shows: "Published TooManyAddresses",
        names: ["Gateway default/web", "203.0.113.10"],
        seen: full,
        fix: "Publish to a Service, or divide the addresses between several resources and Gateways",
      }),
    ],
  },
];
