/** Every change that a provider can make, as data, so that audit and dry run are written once for all of them. */

import type { CallContext } from "../call.js";
import { isEmptyChange } from "../firewall-changes.js";
import type { AddressProvider, CreateAddress, DnsProvider, FirewallChange, FirewallProvider } from "../types.js";

export type MutationKind =
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
  return {
    name: inner.name,
    capabilities: inner.capabilities,
    accountKey: (context) => inner.accountKey(context),
    list: (context, request) => inner.list(context, request),
    get: (context, ip) => inner.get(context, ip),
    action: (context, action, expected) => inner.action(context, action, expected),
    ...(latestAction && { latestAction }),
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
  return {
    name: inner.name,
    capabilities: inner.capabilities,
    accountKey: (context) => inner.accountKey(context),
    fqdn: (context, name) => inner.fqdn(context, name),
    read: (context, name) => inner.read(context, name),
    apply: (context, changes) => {
      if (changes.steps.length === 0) return Promise.resolve([]);
      const [before, after] = [changes.before.join(" "), changes.after.join(" ")];
      return layer({ provider: inner.name, kind: "change-records", target: changes.fqdn, before, after, context }, () =>
        inner.apply(context, changes),
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
