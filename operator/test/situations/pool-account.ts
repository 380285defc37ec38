/** A pool has fewer active addresses than desired because of its spec, its account or other resources. */

import { plan } from "../../src/controllers/floating-ip-pool/plan.js";
import type { Snapshot } from "../../src/controllers/floating-ip-pool/snapshot.js";
import { NOTHING_SEEN } from "../../src/inventory/view.js";
import { providerMessages } from "../../src/messages/provider.js";
import { withSummary } from "../../src/reconcile/summary-conditions.js";
import { limitedTo } from "../support/kube/limited-to.js";
import { A, cloudOf, pool, type Scene, seenOf, TEN_PAST } from "./pool-scenes.js";
import { callFailure, type Group, refusedToken, type Seen, seenIn } from "./situation.js";

/** The operator has not read the account, and cannot. */
function unread(problem: ReturnType<typeof providerMessages.unknown>): Scene {
  return { change: () => ({ problem, inventory: NOTHING_SEEN }) };
}

/** The last call to the account failed. */
function failing(kind: Parameters<typeof callFailure>[0], said: string): Scene {
  const providerFailure = callFailure(kind, "digitalocean: list reserved IPs", said);
  return { change: ({ now }) => ({ providerFailure, providerRetryAt: now + 60_000 }) };
}

function inOtherAccount(): Scene {
  const accounts = { recorded: "f81d4fae", current: "0b9d4a52" };
  const providerFailure = providerMessages.otherAccount({ provider: "digitalocean", ...accounts, ips: [A] });
  return { change: () => ({ providerFailure, inventory: NOTHING_SEEN }) };
}

const OWN_TOKEN =
  "entry DIGITALOCEAN_ACCESS_TOKEN of its own Secret (by default flipop; restart the operator after a change)";

/** The last action on the address failed. */
function failed(reason: "ProviderUnavailable", error: string): Scene {
  return {
    status: { ips: { [A]: { state: "error", reason, error, retryAt: "2025-06-01T10:01:00Z" } } },
  };
}

function stopped(): Seen {
  const snapshot = cloudOf({}).snapshot("web");
  const { conditions } = plan({ ...snapshot, set: { ...snapshot.set, paused: true } });
  const stop = { reason: "the account moves, until 14:00" };
  return seenIn({ conditions: withSummary(conditions, { readyWhen: ["Accepted", "Fulfilled"], stop }) }, "Ready");
}

export const POOL_ACCOUNT: readonly Group[] = [
  {
    heading: "The operator does nothing for a resource",
    situations: [
      pool({
        when: "A person paused the resource",
        shows: "Fulfilled Paused",
        names: ["spec.paused"],
        seen: () => seenOf({ spec: { ips: [A], paused: true } }),
        fix: '`kubectl -n NAMESPACE patch fip web --type merge -p \'{"spec":{"paused":false}}\'`',
      }),
      pool({
        when: "A person stopped the operator",
        shows: "Ready Stopped",
        names: ["the account moves, until 14:00", "flipop resume"],
        seen: stopped,
        fix: "`flipop resume`, after asking whoever stopped it",
      }),
      pool({
        when: "`provider` has a typo",
        shows: "Fulfilled UnknownProvider",
        names: ['"acme"', "use digitalocean"],
        seen: () => seenOf(unread(providerMessages.notSetUp({ provider: "acme" }))),
        fix: "Correct `spec.provider`",
      }),
      pool({
        when: "The provider gives nodes no address of this family",
        shows: "Fulfilled Unsupported",
        names: ["cloudflare", "IPv4", "use digitalocean"],
        seen: () => seenOf(unread(providerMessages.unsupported({ provider: "cloudflare", what: "IPv4 addresses" }))),
        fix: "Use another provider",
      }),
      pool({
        when: "The cloud rejects the operator's token",
        shows: "Fulfilled Unauthorized",
        names: ["401", "install.md#rights-of-the-tokens", "DIGITALOCEAN_ACCESS_TOKEN of its own Secret", "flipop"],
        seen: () =>
          seenOf({
            change: ({ now }) => ({ providerFailure: refusedToken(OWN_TOKEN), providerRetryAt: now + 60_000 }),
          }),
        fix: "Put a valid token into the operator's Secret and [restart the operator](install.md#the-token); `flipop doctor` shows which rights it lacks",
      }),
      pool({
        when: "The operator's token belongs to another account than the one that has the pool's addresses",
        shows: "Accepted Unauthorized",
        names: [A, "account f81d4fae", "account 0b9d4a52", "restart the operator", "delete this pool"],
        seen: () => seenOf(inOtherAccount(), "Accepted"),
        fix: "Put a token of the recorded account (`status.account`) into the operator's Secret and [restart the operator](install.md#the-token)",
      }),
      pool({
        when: "The cloud answers 429",
        shows: "Fulfilled RateLimited",
        names: ["429"],
        seen: () => seenOf(failing("RateLimited", "429 API rate limit exceeded")),
        fix: "Wait. If it lasts, run fewer operators and other programs on the account",
      }),
      pool({
        when: "The operator holds its calls back, to stay below the limit of the account",
        shows: "Fulfilled RateLimited",
        names: ["12 calls wait", "2025-06-01T10:10:00Z"],
        seen: () => seenOf({ change: () => ({ longWait: { calls: 12, until: TEN_PAST } }) }),
        fix: "Wait until the time in the message. If it lasts, see [calls](../explanation/calls.md)",
      }),
      pool({
        when: "The cloud answers 429 and asks for a pause of more than a minute",
        shows: "Fulfilled RateLimited",
        names: ["holds the account's calls until 2025-06-01T10:10:00Z", "one call a minute"],
        seen: () => seenOf({ change: () => ({ longWait: { calls: 12, until: TEN_PAST, paused: true } }) }),
        fix: "Wait: the first call that the cloud answers ends the pause. If it lasts, give other programs tokens of their own",
      }),
      pool({
        when: "The cloud's API does not answer",
        shows: "Fulfilled ProviderUnavailable",
        names: ["503", "status page"],
        seen: () => seenOf(failing("Unavailable", "503 Service Unavailable")),
        fix: "Wait; look at the provider's status page",
      }),
    ],
  },
  {
    heading: "One address of a pool does not become active",
    situations: [
      pool({
        when: "Another pool has the same address in `ips`",
        shows: "Fulfilled ClaimedByOther",
        names: [A, "FloatingIPPool default/first"],
        seen: () =>
          seenOf({
            others: { first: { ips: [A] } },
            change: ({ claims }) => ({ claims }),
          }),
        fix: "Remove the address from one of the two pools",
      }),
      pool({
        when: "The account does not have the address",
        shows: "Fulfilled AddressNotFound",
        names: [A],
        seen: () =>
          seenOf({
            change: ({ inventory }) => ({ inventory: { ...inventory, get: () => undefined, isGone: () => true } }),
          }),
        fix: "Correct `ips`, or give the operator the token of the account that has it",
      }),
      pool({
        when: "An entry of `ips` is the address that a machine has by itself",
        shows: "Fulfilled AddressNotFound",
        names: [A, "the ExternalIP of edge-1", "let the operator create one"],
        seen: () =>
          seenOf({
            change: ({ inventory }) => ({
              inventory: { ...inventory, get: () => undefined, isGone: () => true },
              clusterNodes: () => [{ name: "edge-1", labels: {}, addresses: [{ type: "ExternalIP", address: A }] }],
            }),
          }),
        fix: "Take it out of `ips`: only a reserved IP can move to another machine",
      }),
      pool({
        when: "An entry of `ips` is not an address",
        shows: "Accepted Invalid",
        names: ["203.0.113"],
        seen: () => seenOf({ spec: { ips: [A, "203.0.113"] } }, "Accepted"),
        fix: "Correct `ips`",
      }),
      pool({
        when: "The cloud could not carry out the assignment",
        shows: "Fulfilled ProviderUnavailable",
        names: [A, "node-1", "the droplet is off", "owner of the account"],
        seen: () => {
          const cause = providerMessages.actionFailed({ said: "the droplet is off" });
          return seenOf(failed("ProviderUnavailable", providerMessages.ofNode({ node: "node-1", cause }).message));
        },
        fix: "Start the machine; the operator tries again at `retryAt` of the address",
      }),
      pool({
        when: "A second operator, or a person, takes the address away again and again",
        shows: "Fulfilled ForeignWriter",
        names: [A, "outside of this operator"],
        seen: () =>
          seenOf({
            change: ({ memory, now }) => ({
              memory: { ...memory, reverts: new Map([[A, [now - 300_000, now - 200_000, now - 100_000]]]) },
            }),
          }),
        fix: "The account's log of actions shows who it is. Look for [two operators](#2-does-an-operator-act)",
      }),
      pool({
        when: "The limits of the namespace do not allow the address",
        shows: "Fulfilled AddressNotAllowed",
        names: [A, "tenantLimits.namespaces[0]", "198.51.100.0/24"],
        seen: () => {
          const limits = { namespaces: [{ names: ["default"], allowedAddresses: ["198.51.100.0/24"] }] };
          const refused = limitedTo(limits).addressProblem("default", A);
          if (refused === undefined) throw new Error("the limits allow the address");
          return seenOf({
            change: ({ set, claims }) => ({
              set: { ...set, refused: new Map([[A, refused]]) },
              claims: { ...claims, addresses: new Map() },
            }),
          });
        },
        fix: "Use an address that the message names, or ask for another limit",
      }),
      pool({
        when: "The holder is not ready, and its grace period lasts",
        shows: "Ready InGrace",
        names: [A, "node-1", "2025-06-01T10:00:30Z"],
        seen: () => graceOf(),
        fix: "Nothing: the operator moves the address at the time in the message",
      }),
      pool({
        when: "Many holders failed at the same time",
        shows: "Fulfilled MassFailure",
        names: ["4 nodes", "ignore-mass-failure", "2025-06-01T10:10:00Z"],
        seen: () => safeguarded({ massFailures: () => ({ lost: 4, holders: 6, until: TEN_PAST }) }),
        fix: "Check the control plane. If the nodes are down, set the annotation that the message names, and remove it afterwards",
      }),
      pool({
        when: "The limit of moves per minute is used up",
        shows: "Fulfilled MoveLimit",
        names: ["limit of moves per minute", "2025-06-01T10:10:00Z"],
        seen: () => safeguarded({ moveAllowance: { moves: 0, nextAt: TEN_PAST, begun: new Set() } }),
        fix: "Wait until the time in the message",
      }),
      pool({
        when: "The holder is not ready, and no other node can take the address",
        shows: "status.ips NoCandidate",
        names: [A, "node-1", "kubectl describe node node-1"],
        seen: () => heldByRefused(),
        fix: "Repair the node, or add one that matches",
      }),
    ],
  },
];

/** The node of an active address fails. */
function failingHolder(gracePeriodSeconds: number) {
  const cloud = cloudOf({ spec: { ips: [A], gracePeriodSeconds }, held: { [A]: "node-1" } });
  cloud.run("web");
  cloud.setReady("node-1", false);
  return cloud;
}

/** The holder has failed, and another node could take the address. */
function safeguarded(change: Partial<Snapshot>): Seen {
  const cloud = failingHolder(0);
  cloud.addNode("node-2");
  return seenIn(plan({ ...cloud.snapshot("web"), ...change }), "Fulfilled");
}

function graceOf(): Seen {
  const { conditions, unserved } = failingHolder(30).plan("web");
  const facts = { readyWhen: ["Accepted", "Fulfilled"] as const, unserved };
  return seenIn({ conditions: withSummary(conditions, facts) }, "Ready");
}

function heldByRefused(): Seen {
  const { status } = failingHolder(0).plan("web").addresses[0] ?? {};
  return { where: "status.ips", reason: `${status?.reason}`, message: `${status?.error}` };
}
