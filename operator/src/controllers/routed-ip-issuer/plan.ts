/** The decision about one issuer: is it fit to work, who needs it, and what is to go with it. Pure. */

import { type CreatedFirewall, Finalizer } from "cdk8s-flipop/api";
import type { FirewallFacts } from "../../providers/types.js";
import { isCleanupOverdue } from "../cleanup.js";
import { no, type PlannedCondition, unknown, yes } from "../planned-condition.js";
import type { Problem } from "../problem.js";
import { reportedRetry } from "../reported-retry.js";
import type { Issuer, Snapshot } from "./snapshot.js";

interface Reasoned {
  readonly why: string;
}

export type Action =
  | (Reasoned & { readonly do: "add-finalizer" })
  /** `leftBehind`: what was not cleaned up in time. */
  | (Reasoned & { readonly do: "remove-finalizer"; readonly leftBehind: readonly string[] })
  /** Ours, empty, and nobody uses it. */
  | (Reasoned & { readonly do: "remove-firewall"; readonly firewall: Pick<FirewallFacts, "id" | "name"> })
  /** `status.createdFirewall`; `undefined` removes it. */
  | (Reasoned & { readonly do: "record-firewall"; readonly created: CreatedFirewall | undefined });

export interface Plan {
  /** One after the other, as long as each is done. */
  readonly chain: readonly Action[];
  readonly conditions: readonly PlannedCondition[];
  /** `status.retryAt`. */
  readonly retryAt: string | undefined;
}

export function plan(snapshot: Snapshot): Plan {
  const { account, accountRetryAt, issuer, now } = snapshot;
  const waits = failureOf(account) === undefined ? [] : [accountRetryAt];
  const retryAt = reportedRetry(waits, issuer.status.retryAt, now);
  return { chain: chainOf(snapshot), conditions: [ready(snapshot)], retryAt };
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

/** Nobody uses it: it may go, once the firewall that was made for it has gone. */
function released(snapshot: Snapshot, removal: readonly Action[]): readonly Action[] {
  const { issuer, now, cleanup } = snapshot;
  const left = leftFirewall(snapshot);
  const gone = left === undefined || removal.some((action) => action.do === "remove-firewall");
  if (gone) return [{ do: "remove-finalizer", leftBehind: [], why: "no RoutedIP uses it" }];
  if (issuer.metadata.deletionTimestamp === undefined) return [];
  if (!isCleanupOverdue(issuer.metadata, now, cleanup)) return [];
  return [{ do: "remove-finalizer", leftBehind: [left], why: "the deadline of the clean-up has passed" }];
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

function ready(snapshot: Snapshot): PlannedCondition {
  const { problem, account, firewall } = snapshot;
  const obstacle = problem ?? failureOf(account) ?? regionProblem(snapshot) ?? failureOf(firewall);
  if (obstacle !== undefined) return no("Ready", obstacle);
  if (account === "untried" || firewall === "unknown") return unknown("Ready");
  if (firewall !== "missing")
    return yes("Ready", "Observed", "the provider accepts the credentials, and what the spec names exists");
  const message = `the provider accepts the credentials; firewall "${snapshot.issuer.spec.routedIPFirewallName}" is created once a node may join it`;
  return yes("Ready", "FirewallNotFound", message);
}

function failureOf(part: Snapshot["account"] | Snapshot["firewall"]): Problem | undefined {
  return typeof part === "object" && "failure" in part ? part.failure : undefined;
}

/** An address can only go to nodes of its region: one without nodes serves nobody. */
function regionProblem({ issuer, regions }: Snapshot): Problem | undefined {
  const { region } = issuer.spec;
  if (!region || regions.size === 0 || regions.has(region)) return undefined;
  const message = `no node of the cluster is in region "${region}"; there are nodes in ${[...regions].sort().join(", ")}: correct spec.region`;
  return { reason: "WrongRegion", message };
}

function hasFinalizer({ metadata }: Issuer): boolean {
  return metadata.finalizers?.includes(Finalizer.inUse) === true;
}
