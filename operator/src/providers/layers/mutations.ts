/**
 * Every change that a provider can make, as data, so that audit and dry run are written once for all of them. The audit
 * records who asked, why, what was there, what is there now.
 */

import type { Logger } from "../../logging.js";
import { NotLeaderError } from "../../runtime/fence.js";
import type { CallContext } from "../call.js";
import { isEmptyChange } from "../diff.js";
import { DryRunError, isProviderError, isSuperseded } from "../errors.js";
import type { FirewallChange, FirewallProvider } from "../firewall-types.js";
import type { ActionFacts, AddressProvider, CreateAddress, CreateOutcome, DnsProvider } from "../types.js";

type MutationKind =
  | "create-address"
  | "release-address"
  | "assign-address"
  | "unassign-address"
  | "change-records"
  | "create-firewall"
  | "change-firewall"
  | "remove-firewall";

/** A change that is about to be made. */
export interface Mutation {
  readonly provider: string;
  readonly kind: MutationKind;
  /** The address, the full record name, or the firewall's name; the place where an address is created. */
  readonly target: string;
  /** As last seen by whoever asks, for people. Empty: nothing. */
  readonly before: string;
  readonly after: string;
  readonly context: CallContext;
}

/** Runs around each mutation. */
export type MutationLayer = <T>(mutation: Mutation, run: () => Promise<T>) => Promise<T>;

/** The same provider with a layer around each of its mutations. */
export function aroundAddresses(inner: AddressProvider, layer: MutationLayer): AddressProvider {
  const provider = inner.name;
  const latestAction = inner.latestAction?.bind(inner);
  const machineState = inner.machineState?.bind(inner);
  return {
    name: inner.name,
    capabilities: inner.capabilities,
    accountKey: (context) => inner.accountKey(context),
    list: (context, request) => inner.list(context, request),
    get: (context, ip) => inner.get(context, ip),
    action: (context, action, expected) => inner.action(context, action, expected),
    ...(latestAction && { latestAction }),
    ...(machineState && { machineState }),
    create: (context, request) => {
      const change = { before: "", after: `one ${request.family}` };
      return layer({ provider, kind: "create-address", target: placeOf(request), ...change, context }, () =>
        inner.create(context, request),
      );
    },
    release: (context, ip) =>
      layer({ provider, kind: "release-address", target: ip, before: "unassigned", after: "", context }, () =>
        inner.release(context, ip),
      ),
    assign: (context, request) => {
      const change = { before: request.from ?? "", after: request.node };
      return layer({ provider, kind: "assign-address", target: request.ip, ...change, context }, () =>
        inner.assign(context, request),
      );
    },
    unassign: (context, request) =>
      layer({ provider, kind: "unassign-address", target: request.ip, before: request.from, after: "", context }, () =>
        inner.unassign(context, request),
      ),
  };
}

/** As `aroundAddresses`. A change set without steps is no mutation. */
export function aroundDns(inner: DnsProvider, layer: MutationLayer): DnsProvider {
  const isDelegated = inner.isDelegated?.bind(inner);
  return {
    name: inner.name,
    capabilities: inner.capabilities,
    accountKey: (context) => inner.accountKey(context),
    fqdn: (context, name) => inner.fqdn(context, name),
    read: (context, name) => inner.read(context, name),
    ...(isDelegated && { isDelegated }),
    apply: (context, changes, stepped) => {
      if (changes.steps.length === 0) return Promise.resolve([]);
      const [before, after] = [changes.before.join(" "), changes.after.join(" ")];
      return layer({ provider: inner.name, kind: "change-records", target: changes.fqdn, before, after, context }, () =>
        inner.apply(context, changes, stepped),
      );
    },
  };
}

/** As `aroundAddresses`. A change without parts is no mutation. */
export function aroundFirewalls(inner: FirewallProvider, layer: MutationLayer): FirewallProvider {
  const provider = inner.name;
  return {
    name: inner.name,
    capabilities: inner.capabilities,
    accountKey: (context) => inner.accountKey(context),
    survey: (context, name, nodes, maxAgeSeconds) => inner.survey(context, name, nodes, maxAgeSeconds),
    create: (context, request) => {
      const after = describeParts(request.rules.map(describeRule), request.nodes);
      return layer({ provider, kind: "create-firewall", target: request.name, before: "", after, context }, () =>
        inner.create(context, request),
      );
    },
    apply: (context, change) => {
      if (isEmptyChange(change)) return Promise.resolve();
      return layer({ provider, kind: "change-firewall", target: change.name, ...describeChange(change), context }, () =>
        inner.apply(context, change),
      );
    },
    remove: (context, firewall) =>
      layer({ provider, kind: "remove-firewall", target: firewall.name, before: firewall.id, after: "", context }, () =>
        inner.remove(context, firewall),
      ),
  };
}

function placeOf(request: CreateAddress): string {
  return "node" in request ? request.node : request.region;
}

function describeChange(change: FirewallChange): Pick<Mutation, "before" | "after"> {
  return {
    before: describeParts(change.removeRules.map(describeRule), change.removeNodes),
    after: describeParts(change.addRules.map(describeRule), change.addNodes),
  };
}

function describeRule({ protocol, ports, sources }: FirewallChange["addRules"][number]): string {
  return `${protocol} ${ports} from ${sources.join(" ")}`.trim();
}

function describeParts(rules: readonly string[], nodes: readonly string[]): string {
  return [...rules, ...nodes].join("; ");
}

/**
 * What came of it:
 * - `done`: the cloud is as `after` says; nothing was sent where it was so before.
 * - `started`: the cloud has accepted it and carries it out; how it ends is in the resource's status.
 * - `failed`: the cloud has accepted it, and then ended it without success.
 * - `refused`: the cloud said no.
 * - `not-sent`: it was never sent, for example because there was no token or connection.
 * - `unknown`: it may have been made.
 * - `withheld`: dry run, the lease was lost, or the decision no longer held; nothing more was sent.
 * A change of several requests (records, a firewall) ends with the first that fails: those before it were made.
 */
type MutationOutcome = "done" | "started" | "failed" | "refused" | "not-sent" | "unknown" | "withheld";

type Ending = Pick<AuditRecord, "outcome" | "error" | "withheldBecause" | "requestId">;

/** One entry. Plain data without secrets. */
export interface AuditRecord extends Omit<Mutation, "context"> {
  /** `kind/namespace/name` of the resource that asked. */
  readonly requester: string;
  readonly why: string;
  readonly outcome: MutationOutcome;
  /** What the provider said, where it did not work. */
  readonly error?: string;
  /** Why it was not sent: no failure. */
  readonly withheldBecause?: string;
  /** The API's id of the request, for a support ticket. */
  readonly requestId?: string;
}

export type AuditSink = (record: AuditRecord) => void;

/** Writes each record as a log line. */
export function auditLog(logger: Logger, level: "info" | "debug" = "info"): AuditSink {
  return (record) => logger[level]({ audit: record }, "cloud mutation");
}

export function withAudit(sink: AuditSink): MutationLayer {
  return async (mutation, run) => {
    try {
      const result = await run();
      sink(recordOf(mutation, endingOf(result)));
      return result;
    } catch (error) {
      sink(recordOf(mutation, failureOf(error)));
      throw error;
    }
  };
}

function recordOf({ context, ...mutation }: Mutation, ending: Ending): AuditRecord {
  const { kind, namespace, name } = context.requester;
  return { ...mutation, requester: `${kind}/${namespace}/${name}`, why: context.why, ...ending };
}

function failureOf(error: unknown): Ending {
  if (error instanceof NotLeaderError || error instanceof DryRunError || isSuperseded(error)) {
    return { outcome: "withheld", withheldBecause: error.message };
  }
  if (!isProviderError(error)) return { outcome: "unknown", error: String(error) };
  return {
    outcome: error.outcome,
    error: error.message,
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  };
}

const STATES = { completed: "done", "in-progress": "started", errored: "failed" } as const;

/** A creation whose answer was lost, or an action that runs or has failed, is a result and no rejection. */
function endingOf(result: unknown): Ending {
  if (isLost(result)) return { ...failureOf(result.error), outcome: "unknown" };
  if (!isAction(result)) return { outcome: "done" };
  const { state, message } = result;
  return { outcome: STATES[state], ...(state === "errored" && message !== undefined && { error: message }) };
}

function isLost(result: unknown): result is Extract<CreateOutcome, { readonly kind: "unknown" }> {
  return typeof result === "object" && result !== null && "kind" in result && result.kind === "unknown";
}

function isAction(result: unknown): result is Pick<ActionFacts, "state" | "message"> {
  return typeof result === "object" && result !== null && "state" in result && String(result.state) in STATES;
}

/** Rejects each mutation with DryRunError. Inside of audit, so that what would have happened is on record. */
export const withDryRun: MutationLayer = ({ kind, target, before, after }) => {
  const change = `${before === "" ? "nothing" : before} -> ${after === "" ? "nothing" : after}`;
  return Promise.reject(new DryRunError(`dry run: not sent: ${kind} ${target}: ${change}`));
};
