/** Decides about one issuer: whether it is usable, which resources use it, and what its deletion removes. Pure. */

import { type CreatedFirewall, Finalizer } from "cdk8s-flipop/api";
import { CREDENTIALS_CHECK_SECONDS, DUE_RETRY_PAUSE_MS, SECOND_MS } from "../../bounds.js";
import type { FirewallFacts } from "../../providers/types.js";
import { isCleanupOverdue } from "../../reconcile/cleanup.js";
import { type Action as EngineAction, type Plan as EnginePlan, inOrder } from "../../reconcile/plan.js";
import { reportedRetry } from "../../reconcile/retries/reported-retry.js";
import { ready } from "./conditions.js";
import type { Issuer, Snapshot } from "./gather.js";

export type Action =
  | (EngineAction & { readonly do: "add-finalizer" })
  /** `abandonedItems`: what was not cleaned up in time. */
  | (EngineAction & { readonly do: "remove-finalizer"; readonly abandonedItems: readonly string[] })
  /** The operator created it, it is empty, and no RoutedIP uses it. */
  | (EngineAction & { readonly do: "remove-firewall"; readonly firewall: Pick<FirewallFacts, "id" | "name"> })
  /** `status.createdFirewall`; `undefined` removes it. */
  | (EngineAction & { readonly do: "record-firewall"; readonly created: CreatedFirewall | undefined });

export interface Plan extends EnginePlan<Action> {
  /** `status.retryAt`. */
  readonly retryAt: string | undefined;
}

export function plan(snapshot: Snapshot): Plan {
  return {
    sequences: inOrder("issuer", chainOf(snapshot)),
    conditions: [ready(snapshot)],
    requeueAt: requeueTime(snapshot),
    retryAt: retryAtOf(snapshot),
    explanation: "",
  };
}

/** When the operator tries again what failed: a call to the account, or to the firewall. */
function retryAtOf({ account, accountRetryAt, firewallRetryAt, issuer, now }: Snapshot): string | undefined {
  const failed = typeof account === "object";
  return reportedRetry([failed ? accountRetryAt : undefined, firewallRetryAt], issuer.status.retryAt, now);
}

function requeueTime({ now, retryAt = Number.POSITIVE_INFINITY }: Snapshot): number {
  return Math.max(now + DUE_RETRY_PAUSE_MS, Math.min(now + CREDENTIALS_CHECK_SECONDS * SECOND_MS, retryAt));
}

function chainOf(snapshot: Snapshot): readonly Action[] {
  const { issuer, users, cachesComplete } = snapshot;
  if (!cachesComplete) return [];
  if (users.length > 0) return [...settled(snapshot), ...held(issuer)];
  const removal = firewallRemoval(snapshot);
  if (!hasFinalizer(issuer)) return removal;
  return [...removal, ...released(snapshot, removal)];
}

function held(issuer: Issuer): readonly Action[] {
  const deleting = issuer.metadata.deletionTimestamp !== undefined;
  // The server takes no new finalizer then.
  if (hasFinalizer(issuer) || deleting) return [];
  return [{ do: "add-finalizer", why: "RoutedIPs use it" }];
}

/** No resource uses it: it may be deleted after the firewall that was created for it. */
function released(snapshot: Snapshot, removal: readonly Action[]): readonly Action[] {
  const { issuer, now, cleanup } = snapshot;
  const left = leftFirewall(snapshot);
  const gone = left === undefined || removal.some((action) => action.do === "remove-firewall");
  if (gone) return [{ do: "remove-finalizer", abandonedItems: [], why: "no RoutedIP uses it" }];
  if (issuer.metadata.deletionTimestamp === undefined) return [];
  if (!isCleanupOverdue(issuer.metadata, now, cleanup)) return [];
  return [{ do: "remove-finalizer", abandonedItems: [left], why: "the deadline of the clean-up has passed" }];
}

/** What should go under `Delete` and is still there; `undefined`: nothing. */
function leftFirewall({ issuer }: Snapshot): string | undefined {
  const { createdFirewall } = issuer.status;
  if (issuer.spec.routedIPReclaimPolicy !== "Delete" || createdFirewall === undefined) return undefined;
  return `firewall "${createdFirewall.name}", which was created for it`;
}

function firewallRemoval({ issuer, firewall }: Snapshot): readonly Action[] {
  const { createdFirewall } = issuer.status;
  if (createdFirewall === undefined || !isKnown(firewall)) return [];
  const forget: Action = { do: "record-firewall", created: undefined, why: "it is not there, or not ours, any more" };
  if (firewall === "missing" || !isSame(firewall, createdFirewall)) return [forget];
  if (issuer.spec.routedIPReclaimPolicy !== "Delete") return [];
  if (firewall.nodes.length > 0 || firewall.rules.length > 0) return [];
  const why = "it was created for this issuer, is empty, and routedIPReclaimPolicy is Delete";
  return [{ do: "remove-firewall", firewall, why }, forget];
}

/** A creation whose answer never came: the firewall of that name is the one. */
function settled({ issuer, firewall }: Snapshot): readonly Action[] {
  const { createdFirewall } = issuer.status;
  if (createdFirewall === undefined || createdFirewall.id !== "" || !isKnown(firewall)) return [];
  if (firewall === "missing" || firewall.name !== createdFirewall.name) return [];
  const created = { ...createdFirewall, id: firewall.id };
  return [{ do: "record-firewall", created, why: "it was created, and the answer got lost" }];
}

function isSame({ id, name }: FirewallFacts, created: CreatedFirewall): boolean {
  return name === created.name && (created.id === "" || created.id === id);
}

function isKnown(firewall: Snapshot["firewall"]): firewall is FirewallFacts | "missing" {
  return firewall === "missing" || (typeof firewall === "object" && "nodes" in firewall);
}

function hasFinalizer({ metadata }: Issuer): boolean {
  return metadata.finalizers?.includes(Finalizer.inUse) === true;
}
