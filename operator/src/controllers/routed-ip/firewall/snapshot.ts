/** What a plan reads of a firewall, and what the RoutedIP needs of it. */

import type { Problem } from "../../../messages/message.js";
import type { FirewallCapabilities, FirewallFacts, FirewallRuleFacts } from "../../../providers/firewall-types.js";
import type { ProviderId } from "../../../providers/types.js";
import type { GroupView } from "../../../routing/firewalls/additional-firewalls.js";
import type { Recorded } from "../../../routing/firewalls/firewall-shares.js";
import type { FirewallReverts, PartKey } from "../../../routing/firewalls/own-firewall-writes.js";
import type { RefusedMachine } from "../../../routing/firewalls/refused-machines.js";

/** `waits`: it is not tried again before `retryAt`, ms since the epoch. */
export type Refused = RefusedMachine & { readonly waits: boolean };

export interface FirewallSnapshot {
  readonly name: string;
  readonly capabilities?: FirewallCapabilities;
  /** `unknown`: not read lately. `missing`: there is none of that name. */
  readonly facts: FirewallFacts | "unknown" | "missing";
  /** It has to be read again before the next change. */
  readonly due?: true;
  /** Some calls to it, also of other resources, wait until others have ended. */
  readonly crowded?: true;
  /** Names of the other firewalls over each machine, as far as it was asked lately. */
  readonly coveredBy: ReadonlyMap<ProviderId, readonly string[]>;
  /** Machines that no other firewall covered when that was last read, however long ago. @default none known */
  readonly uncovered?: ReadonlySet<ProviderId>;
  /** Machines that the provider does not have. @default none known */
  readonly gone?: ReadonlySet<ProviderId>;
  /** Of the other RoutedIPs of this firewall, as last written. A rule that is not on record is not relied on. */
  readonly others: readonly Recorded[];
  /** Finalizers of other installations that use the issuer: they may need each rule and node. @default none */
  readonly sharedWith?: readonly string[];
  /** Machines that it refused lately. @default none known */
  readonly refused?: ReadonlyMap<ProviderId, Refused>;
  /** When others took out what the operator had put there, for each item. @default never */
  readonly reverts?: FirewallReverts;
  /** Rules and machines that others took out of it lately: the Event says so when the operator puts them back. @default none */
  readonly taken?: ReadonlySet<PartKey>;
  /** The name that somebody has given to the former firewall of this name. Absent: none is known. */
  readonly renamed?: string;
  /** The last call failed, or can't be made. */
  readonly failure?: Problem;
  /** Why the last call failed, while the next read is due or under way: conditions go on naming it until that ends. */
  readonly lastFailure?: Problem;
  /** See `FailureView`. */
  readonly ofChange?: Problem;
  /** With the additional ones. Absent: it was not read yet. */
  readonly group?: GroupView;
  /** Those of our machines in it that serve nothing now. */
  readonly idle?: ReadonlySet<ProviderId>;
  /** ms since the epoch: no call before. */
  readonly retryAt?: number;
  /** It is not the one that the class or issuer names now: our traces in it are to go. */
  readonly previous?: true;
}

export interface DesiredFirewall {
  readonly rules: readonly FirewallRuleFacts[];
  /** The elected node. */
  readonly target?: ProviderId;
  /** Its name, for messages. */
  readonly node?: string;
  /** The node that holds the address until it has moved. */
  readonly holder?: ProviderId;
  /** The address has yet to leave a node that may answer at ports that are needed no more after that. */
  readonly leaving?: true;
}
