/** A RoutedIP has no address, or no node for it. */

import { addressAccessOf, addressProblem } from "../../src/routing/address-and-name-access.js";
import { type ServiceFacts, serviceProblem } from "../../src/routing/service.js";
import { meta } from "../claims/resources.js";
import type { ModelWorld } from "../controllers/routed-ip/model-world.js";
import { slimPod } from "../support/kube/objects.js";
import { ROUTED_FIREWALLS } from "./routed-firewalls.js";
import { IP, type RoutedScene, routed, routedSeen, unresolved, withoutEndpoint } from "./routed-scenes.js";
import { type Group, refusedToken } from "./situation.js";

const REGION = "topology.kubernetes.io/region";

/** The holder stops serving, and another node may take over. */
const MOVING: RoutedScene = {
  prepare: (world) => {
    world.settle();
    world.serve("web", "node-2");
  },
};

/** No other firewall covers the nodes. */
function isolated(world: ModelWorld): void {
  world.covered.clear();
  world.firewalls.clear();
  world.settle();
}

function withoutSelector(world: ModelWorld): void {
  const { selector: _none, ...service } = world.services.get("default/web") as ServiceFacts;
  world.services.set("default/web", service as ServiceFacts);
}

function foreignService() {
  const problem = serviceProblem({ key: "shop/web", namespace: "default", service: undefined });
  return routedSeen({ change: () => ({ ...(problem && { problem }) }) });
}

const PLACE: Group = {
  heading: "A RoutedIP has no node",
  situations: [
    routed({
      when: "No pod of the Service is ready",
      shows: "Assigned NoCandidate",
      names: ["Service default/web"],
      seen: () => routedSeen({ serving: [] }),
      fix: "`kubectl -n NAMESPACE get endpointslices -l kubernetes.io/service-name=web`; repair the pods",
    }),
    routed({
      when: "The selector of the Service matches no pod",
      shows: "Assigned NoCandidate",
      names: ["Service default/web", "no pod has the labels of its selector"],
      seen: () => withoutEndpoint([]),
      fix: "Correct the selector of the Service, or the labels of the pods",
    }),
    routed({
      when: "The pods of the Service have no node yet",
      shows: "Assigned NoCandidate",
      names: ["pod default/web-1 is Pending, and on no node yet", "kubectl -n default describe pod web-1"],
      seen: () => withoutEndpoint([slimPod("web-1", { phase: "Pending", ready: false })]),
      fix: "`kubectl describe pod web-1` shows why the scheduler finds no node",
    }),
    routed({
      when: "Another RoutedIP's address is on the only node that serves",
      shows: "Assigned NoCandidate",
      names: ["node-1", "203.0.113.8", "RoutedIP default/b"],
      seen: () =>
        routedSeen({
          prepare: (world) => {
            world.addRouted("b", { routedIP: "203.0.113.8" });
            world.addresses.set("203.0.113.8", { holder: "digitalocean://node-1" });
          },
        }),
      fix: "Run a pod of the Service on another node",
    }),
    routed({
      when: "An address that no resource names is on the only node that serves",
      shows: "Assigned NoCandidate",
      names: [
        "node-1",
        "203.0.113.8",
        "set routedIP to 203.0.113.8",
        "flipop orphans --release 203.0.113.8 --unassign",
      ],
      seen: () =>
        routedSeen({ prepare: ({ addresses }) => addresses.set("203.0.113.8", { holder: "digitalocean://node-1" }) }),
      fix: "A pool or RoutedIP that was deleted under `reclaimPolicy: Retain` left it there, for example. Use it again as `routedIP`, or release it with `flipop orphans --release`",
    }),
    routed({
      when: "The only node that serves is not ready",
      shows: "Assigned NoCandidate",
      names: ["Service default/web", "kubectl describe node node-1"],
      seen: () => routedSeen({ prepare: (world) => world.setReady("node-1", false) }),
      fix: "`kubectl describe node node-1`; check its kubelet",
    }),
    routed({
      when: "The node that serves is in no firewall, so that the RoutedIP's own would close its other ports",
      shows: "Accepted WouldIsolateNode",
      names: ["node node-1", "ingress", "first add the node to a firewall"],
      seen: () => routedSeen({ spec: {}, prepare: isolated }, "Accepted"),
      fix: "Put the nodes behind another firewall first, which opens what they need",
    }),
    routed({
      when: "The address is in another region than the nodes that serve",
      shows: "Assigned WrongRegion",
      names: [IP, "fra1", "ams3"],
      seen: () =>
        routedSeen({
          prepare: (world) => world.editNode("node-1", { labels: { [REGION]: "ams3" } }),
          change: ({ inventory }) => {
            const get = (ip: string) => {
              const facts = inventory.get(ip);
              return facts && { ...facts, region: "fra1" };
            };
            return { inventory: { ...inventory, get } };
          },
        }),
      fix: "Use an address of the nodes' region",
    }),
    routed({
      when: "The address is on a machine that is not a node of this cluster",
      shows: "Assigned HeldElsewhere",
      names: [IP, "digitalocean://other-vm"],
      seen: () => routedSeen({ prepare: (world) => world.addresses.set(IP, { holder: "digitalocean://other-vm" }) }),
      fix: "Unassign it at the provider, if the other machine no longer needs it",
    }),
    routed({
      when: "The RoutedIP is paused while its address should move",
      shows: "Assigned Paused",
      names: ["spec.paused"],
      seen: () => routedSeen({ ...MOVING, change: ({ set }) => ({ set: { ...set, paused: true } }) }),
      fix: "Set `paused: false`",
    }),
    routed({
      when: "The account does not answer while the address should move",
      shows: "Assigned Unauthorized",
      names: ["401", "Secret default/do-token"],
      seen: () => {
        const providerFailure = refusedToken("entry DIGITALOCEAN_TOKEN of Secret default/do-token");
        return routedSeen({ ...MOVING, change: ({ now }) => ({ providerFailure, providerRetryAt: now + 60_000 }) });
      },
      fix: "Put a valid token into the Secret: [an issuer is not accepted](#an-issuer-is-not-accepted)",
    }),
    routed({
      when: "The account does not have `routedIP`",
      shows: "Assigned AddressNotFound",
      names: [IP],
      seen: () =>
        routedSeen({
          change: ({ inventory }) => ({ inventory: { ...inventory, get: () => undefined, isGone: () => true } }),
        }),
      fix: "Correct `routedIP`, or use the issuer of the account that has it",
    }),
    routed({
      when: "`routedIP` is the address that a machine has by itself",
      shows: "Assigned AddressNotFound",
      names: [IP, "the ExternalIP of edge-1", "without routedIP"],
      seen: () =>
        routedSeen({
          change: ({ inventory }) => ({
            inventory: { ...inventory, get: () => undefined, isGone: () => true },
            clusterNodes: () => [{ name: "edge-1", labels: {}, addresses: [{ type: "ExternalIP", address: IP }] }],
          }),
        }),
      fix: "Remove `routedIP`, or set it to a reserved IP of the account: only such an address can move to another machine",
    }),
    routed({
      when: "The address that the operator created is gone, for example because a person released it",
      shows: "Assigned AddressNotFound",
      names: [IP, "set routedIP", "delete the RoutedIP and create it again"],
      seen: () =>
        routedSeen({
          spec: {},
          prepare: (world) => world.edit("a", { status: { routedIP: IP, created: true } }),
          change: ({ inventory }) => ({ inventory: { ...inventory, get: () => undefined, isGone: () => true } }),
        }),
      fix: "Set `routedIP` to another address of the account, or create the RoutedIP anew: the operator creates no second address by itself",
    }),
    routed({
      when: "A pool lists the address, and its `desiredIPs` is lower than the number of its addresses",
      shows: "Assigned ClaimedByOther",
      names: [IP, "FloatingIPPool platform/gateway", "does not use it now", "ips", "interrupts no traffic"],
      seen: () => {
        const owner = { kind: "FloatingIPPool", namespace: "platform", name: "gateway", uid: "g" };
        const addresses = new Map([[IP, { ours: false, owned: { owner, basis: "spares" } } as const]]);
        return routedSeen({ change: ({ claims }) => ({ claims: { ...claims, addresses } }) });
      },
      fix: "Remove the address from `ips` of the pool, or ask its author to do so",
    }),
    routed({
      when: "A class does not allow the address",
      shows: "Assigned AddressNotAllowed",
      names: [IP, "ClusterRoutedIPClass shared", "198.51.100.0/24"],
      seen: () => {
        const limits = { allowedAddresses: ["198.51.100.0/24"] };
        const access = addressAccessOf([{ of: "ClusterRoutedIPClass shared", limits }]);
        const problem = addressProblem({ namespace: "default", status: {}, ips: [IP] }, access, []);
        return routedSeen({ change: () => ({ ...(problem && { problem }) }) });
      },
      fix: "Leave `routedIP` out, or ask the author of the class",
    }),
  ],
};

const SERVICES: Group = {
  heading: "A RoutedIP cannot use its Service, class or issuer",
  situations: [
    routed({
      when: "The Service does not exist",
      shows: "Accepted ServiceNotFound",
      names: ["Service default/web"],
      seen: () => routedSeen({ service: "missing" }, "Accepted"),
      fix: "Create it, or correct `serviceRef.serviceName`",
    }),
    routed({
      when: "The Service of another namespace does not allow it",
      shows: "Assigned NamespaceNotAllowed",
      names: ["shop/web", "allow-routed-ip-from", "default"],
      seen: foreignService,
      fix: "Set the annotation on the Service, or correct `serviceRef`",
    }),
    routed({
      when: "The Service is an ExternalName",
      shows: "Accepted ServiceUnsuitable",
      names: ["default/web", "ExternalName"],
      seen: () => routedSeen({ service: { type: "ExternalName" } }, "Accepted"),
      fix: "Use a ClusterIP Service with a selector",
    }),
    routed({
      when: "The Service is headless",
      shows: "Accepted ServiceUnsuitable",
      names: ["default/web", "headless"],
      seen: () => routedSeen({ service: { headless: true } }, "Accepted"),
      fix: "Use a ClusterIP Service with a selector",
    }),
    routed({
      when: "The Service has no selector",
      shows: "Accepted ServiceUnsuitable",
      names: ["default/web", "selector"],
      seen: () => routedSeen({ prepare: withoutSelector }, "Accepted"),
      fix: "Give the Service a selector",
    }),
    routed({
      when: "The Service has no ports",
      shows: "Accepted ServiceUnsuitable",
      names: ["default/web", "no ports"],
      seen: () => routedSeen({ ports: [] }, "Accepted"),
      fix: "Give the Service the ports of its pods",
    }),
    routed({
      when: "The class does not exist",
      shows: "Assigned ClassNotFound",
      names: ["ClusterRoutedIPClass public"],
      seen: () => unresolved({ className: "public" }),
      fix: "`kubectl get clusterroutedipclasses`; create the class, or create the RoutedIP again with another `className`",
    }),
    routed({
      when: "The class does not allow the namespace",
      shows: "Assigned NamespaceNotAllowed",
      names: ["ClusterRoutedIPClass public", "default"],
      seen: () =>
        unresolved(
          { className: "public" },
          { class: () => ({ metadata: meta("public"), spec: { allowedNamespaces: ["web"] } }) },
        ),
      fix: "Ask the administrator to allow the namespace",
    }),
    routed({
      when: "The class is incomplete",
      shows: "Assigned Invalid",
      names: ["ClusterRoutedIPClass public", "issuerRef"],
      seen: () => unresolved({ className: "public" }, { class: () => ({ metadata: meta("public"), spec: {} }) }),
      fix: "Give the class an issuer or Jobs",
    }),
    routed({
      when: "The issuer does not exist",
      shows: "Assigned IssuerNotFound",
      names: ["RoutedIPIssuer default/do", "of its own namespace", "a class that uses an issuer of another namespace"],
      seen: () => unresolved({ issuerRef: { name: "do" } }),
      fix: "`kubectl get routedipissuers`; create the issuer in the RoutedIP's namespace, or create the RoutedIP again with another `issuerRef.name` or with a class",
    }),
    routed({
      when: "The spec names both a class and an issuer, or neither",
      shows: "Assigned Invalid",
      names: ["className", "issuerRef"],
      seen: () => unresolved({}),
      fix: "Set `className` or `issuerRef`, not both",
    }),
  ],
};

export const ROUTED_IPS: readonly Group[] = [PLACE, SERVICES, ROUTED_FIREWALLS];
