/**
 * What a cloud must offer to be used here. Three small interfaces; a provider implements those that it can. Values are
 * plain data. Every method rejects with a ProviderError (errors.ts) or, for a withheld write, with NotLeaderError or
 * DryRunError; it never resolves to partial data. The contract in words: docs/how-to/add-a-provider.md; as
 * tests: test/providers/conformance.
 */

import type { IpFamily } from "cdk8s-flipop/api";
import type { CallContext } from "./call.js";
import type { ProviderError } from "./errors.js";

export type { IpFamily } from "cdk8s-flipop/api";

export type ActionState = "in-progress" | "completed" | "errored";

/** What came of an assign or unassign. */
export interface ActionFacts {
  /** For `AddressProvider.action`; kept in a status, so that a restart goes on asking. Empty where it is over already. */
  readonly id: string;
  readonly ip: string;
  readonly state: ActionState;
  /** With `errored`: what the API said, if anything. */
  readonly message?: string;
  /** With `errored`: a read does not find the address. @default it was not read, or is there */
  readonly gone?: true;
}

/** The newest action on an address. The API does not name the node that it is for. */
export interface LatestAction extends ActionFacts {
  readonly verb: "assign" | "unassign" | "other";
  /** ms since the epoch by the provider's clock, rounded down to its precision. */
  readonly startedAt: number;
}

export type ActionRef = Pick<ActionFacts, "id" | "ip">;

/** `Node.spec.providerID`, such as `digitalocean://1234`: the key of a node, never its name. */
export type ProviderId = string;

/** `on`: every state in which the machine is not switched off, such as one in which it starts. */
export type MachineState = "on" | "off";

/** What all three have in common. */
export interface Provider {
  /** As resources name it in `spec.provider`. */
  readonly name: string;
  /**
   * One key for each account, whichever of its tokens is used; where the API does not tell: `token-<hash>`, and two
   * tokens count as two accounts. Cheap after the first call. Never contains a token.
   */
  accountKey(call: CallContext): Promise<string>;
}

/** An address as the provider shows it. */
export interface AddressFacts {
  /** Canonical text (`canonicalIp` of cdk8s-flipop/api). */
  readonly ip: string;
  readonly family: IpFamily;
  /** Region that it is bound to, as nodes name it; empty where the provider binds to none. */
  readonly region: string;
  /** The node that holds it. Absent: unassigned, which is usually billed. */
  readonly holder?: ProviderId;
  /** The part of the account that it is filed under. Absent: the provider has none, or does not tell. */
  readonly project?: string;
  /** An action that runs on it. Its id is known only if the API returns it. */
  readonly action?: { readonly id?: string };
  /** It comes from a range that its owner brought: it can be assigned, but neither created nor released. */
  readonly borrowed?: boolean;
}

/** `spec.providerID` of the nodes that a provider can serve. Nodes with another one are no candidates. */
export interface MachineIds {
  /** `digitalocean` for `digitalocean://1234`. Another scheme is that of another cloud. */
  readonly providerIdScheme: string;
  /** What follows `://`. Absent: anything. */
  readonly machineId?: { readonly pattern: RegExp /** For people: `<droplet id>`. */; readonly text: string };
}

export interface AddressCapabilities extends MachineIds {
  /** Families that it can list, create and assign. */
  readonly families: readonly IpFamily[];
  /** Addresses of one family that a node may hold. */
  readonly addressesPerNode: number;
  /** Whether an address can only go to nodes of its own region. */
  readonly regional: boolean;
  /** Whether `assign` of an address that is held elsewhere moves it; else it must be unassigned first. */
  readonly movesHeld: boolean;
  /** Families that can be created straight on a node (`CreateAddress.node`). */
  readonly createsOnNode: readonly IpFamily[];
  /** Packets arrive at a node under a destination other than the address itself. Absent: of no family. */
  readonly translates?: {
    readonly families: readonly IpFamily[];
    /** The destination, for people. */
    readonly to: string;
  };
}

/** On a node where `createsOnNode` allows it, else in a region: "" (anywhere, or Terminal) only where not `regional`. */
export type CreateAddress =
  | { readonly family: IpFamily; readonly region: string }
  | { readonly family: IpFamily; readonly node: ProviderId };

/**
 * `created`: it is ours at once; `action` runs where it was created on a node. `unknown`: the answer was lost, so an
 * address may exist that is billed and that no resource knows: read the list before another is created.
 */
export type CreateOutcome =
  | { readonly kind: "created"; readonly address: AddressFacts; readonly action?: ActionFacts }
  | { readonly kind: "unknown"; readonly error: ProviderError };

export interface ListAddresses {
  readonly family: IpFamily;
  /** That resources name: a provider that borrows addresses also looks for them there; `get` returns those still missing. */
  readonly named: readonly string[];
}

export interface AssignAddress {
  readonly ip: string;
  readonly node: ProviderId;
  /** The holder last seen, for the audit record. */
  readonly from?: ProviderId;
}

export interface UnassignAddress {
  readonly ip: string;
  /** The holder last seen. Held by another now: a Conflict, and nothing is changed. */
  readonly from: ProviderId;
}

export interface AddressProvider extends Provider {
  readonly capabilities: AddressCapabilities;
  /** All addresses of the account and family. A missing page is an error, never a shorter list. */
  list(call: CallContext, request: ListAddresses): Promise<readonly AddressFacts[]>;
  /** One address. `undefined`: the provider says that it does not exist (any more). */
  get(call: CallContext, ip: string): Promise<AddressFacts | undefined>;
  /** Sent once at most, never again. A refusal rejects; a lost answer is an outcome. */
  create(call: CallContext, request: CreateAddress): Promise<CreateOutcome>;
  /** Gives an unassigned address back. Already gone is success; held is a Conflict, and nothing is changed. */
  release(call: CallContext, ip: string): Promise<void>;
  /** Starts it. Already there: `completed`. */
  assign(call: CallContext, request: AssignAddress): Promise<ActionFacts>;
  /** Starts it. Already unassigned: `completed`. */
  unassign(call: CallContext, request: UnassignAddress): Promise<ActionFacts>;
  /**
   * How far an action is. Where the API has forgotten it, or never knew it, the state is read off the holder:
   * @param expected the holder once it is completed; `undefined`: none.
   */
  action(call: CallContext, action: ActionRef, expected: ProviderId | undefined): Promise<ActionFacts>;
  /**
   * The newest action on an address, in one call: it resolves a lost answer. `undefined`: the API lists none.
   * Leave it out where no API lists actions: the holder and the lock of the address decide then.
   */
  latestAction?(call: CallContext, ip: string): Promise<LatestAction | undefined>;
  /**
   * Whether a machine is switched off, in one call: it confirms the failure of a node that does not answer. `undefined`:
   * the account has no such machine. Leave it out where no API shows that: the Lease of the kubelet decides then.
   */
  machineState?(call: CallContext, machine: ProviderId): Promise<MachineState | undefined>;
}

/** Types of the records that are ours to write. */
export type RecordType = "A" | "AAAA";

/** Which record set. */
export interface RecordSetName {
  /** As in the resource: a domain name, or the provider's zone id. */
  readonly zone: string;
  /** As in the resource: relative, `@`, or fully qualified; with or without the final dot. */
  readonly name: string;
  /** Types to read. */
  readonly types: readonly RecordType[];
}

export interface RecordFacts {
  readonly id: string;
  readonly type: RecordType;
  /** The address, canonical. */
  readonly value: string;
  /** Seconds; as the provider writes it (Cloudflare: 1 is automatic). */
  readonly ttl: number;
  /** The name resolves to addresses of the provider (Cloudflare), which decides on the TTL: to write one changes nothing. */
  readonly proxied?: boolean;
  /** Who wrote it, where the provider can keep that beside a record. */
  readonly owner?: string;
}

/** A record set as the provider shows it. */
export interface RecordSetFacts {
  /** The zone for later calls: the provider's own key of it. */
  readonly zone: string;
  /** The full name in lower case, without the final dot. */
  readonly fqdn: string;
  /** Types that were read: `records` has all of these and no other. */
  readonly types: readonly RecordType[];
  readonly records: readonly RecordFacts[];
  /** All addresses of the other type. Absent: the read does not show them. */
  readonly others?: readonly RecordFacts[];
  /** The name has a CNAME, which excludes addresses. @default false */
  readonly hasCname?: true;
}

export type RecordStep =
  | {
      readonly do: "update";
      readonly id: string;
      readonly type: RecordType;
      readonly from: string;
      readonly to: string;
      readonly ttl: number;
    }
  | { readonly do: "create"; readonly type: RecordType; readonly to: string; readonly ttl: number }
  | { readonly do: "delete"; readonly id: string; readonly type: RecordType; readonly from: string };

/** Made by diff.ts. Steps are in the order in which they are safe: re-point, create, delete. */
export interface RecordChangeSet {
  readonly zone: string;
  readonly fqdn: string;
  /** Empty: nothing to do. */
  readonly steps: readonly RecordStep[];
  /** Values before and after, of the types that change. For the audit record. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Written beside each record where the provider can. */
  readonly owner?: string;
  /** Steps write the TTL of existing records, as it was last read: that reading has to be fresh. */
  readonly keepsTtl?: true;
}

export interface DnsCapabilities {
  /** The TTL that the provider takes in place of `seconds`: its nearest allowed one. */
  ttl(seconds: number): number;
  /** Whether `owner` is kept. */
  readonly owner: boolean;
  /** A new record gets settings of those beside it, as they were last read: that reading has to be fresh. */
  readonly inherits?: true;
}

export interface DnsProvider extends Provider {
  readonly capabilities: DnsCapabilities;
  /** The full name, as `RecordSetFacts.fqdn`. Without I/O where the zone is given by name: for claims and metrics. */
  fqdn(call: CallContext, name: RecordSetName): Promise<string>;
  /**
   * Reads the records of one name, filtered at the provider. A name without records is an empty set, no error. The answer
   * shows `others` where that needs no other call.
   */
  read(call: CallContext, name: RecordSetName): Promise<RecordSetFacts>;
  /**
   * Whether the zone has NS records of a name below it, in one call: resolvers then ask another zone for the name and all
   * names below it. Leave it out where no API shows that.
   * @param name in full
   */
  isDelegated?(call: CallContext, name: Pick<RecordSetName, "zone" | "name">): Promise<boolean>;
  /**
   * Applies the steps: in their order, or all in one transaction. Resolves to the records that were created or updated,
   * as the answers show them, in no order. After a failure the set holds addresses of the old and the new set only, and
   * is not empty; read it again, plan again.
   * @param stepped each step that an answer has confirmed, while others are to follow
   */
  apply(
    call: CallContext,
    changes: RecordChangeSet,
    stepped?: (step: RecordStep) => void,
  ): Promise<readonly RecordFacts[]>;
}
