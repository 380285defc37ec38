/** All firewalls that this process keeps in step: one entry for each account and name. */

import type { CreatedFirewall } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { ProviderId } from "../../providers/types.js";
import { SharedFirewall } from "./shared-firewall.js";

export class FirewallRegistry {
  private readonly accounts = new Map<unknown, Map<string, SharedFirewall>>();
  /** By uid: the machines that have to be in a firewall. Of RoutedIPs that have decided. */
  private readonly needed = new Map<string, readonly ProviderId[]>();

  constructor(private readonly clock: Clock) {}

  /** @param account compared by identity. */
  of(account: unknown, name: string): SharedFirewall {
    const known = this.accounts.get(account) ?? new Map<string, SharedFirewall>();
    this.accounts.set(account, known);
    const isNamed = (other: string) => known.has(other);
    const firewall = known.get(name) ?? new SharedFirewall(name, this.clock, isNamed);
    known.set(name, firewall);
    return firewall;
  }

  /** What an issuer has on record of additional firewalls: in its account, and in no other one. */
  noteAdditional(issuer: string, created: readonly CreatedFirewall[], account?: unknown): void {
    for (const [other, firewalls] of this.accounts)
      for (const firewall of firewalls.values()) firewall.noteAdditional(issuer, other === account ? created : []);
  }

  /** Installations have begun to use an issuer that names these firewalls, or use it no more. */
  usersChanged(names: readonly string[]): void {
    for (const firewalls of this.accounts.values()) for (const name of names) firewalls.get(name)?.age.usersChanged();
  }

  /** A RoutedIP has decided where its address is, or will be. */
  need(uid: string, machines: readonly ProviderId[]): void {
    this.needed.set(uid, machines);
  }

  /** Of all RoutedIPs. @returns `undefined`: one of these has not decided yet */
  machinesNeeded(uids: readonly string[]): ReadonlySet<ProviderId> | undefined {
    return uids.every((uid) => this.needed.has(uid)) ? new Set([...this.needed.values()].flat()) : undefined;
  }

  /** The RoutedIP is gone. */
  drop(uid: string): void {
    this.needed.delete(uid);
    for (const firewalls of this.accounts.values()) for (const firewall of firewalls.values()) firewall.drop(uid);
  }
}
