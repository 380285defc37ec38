/** `flipop orphans`: the account's addresses that no resource knows, and their release. */

import { type ClusterRoutedIPClassStatus, canonicalIp, KINDS } from "cdk8s-flipop/api";
import { ADDRESS_ANNOTATIONS, parseOwner } from "../addresses/annotations.js";
import { EXIT } from "../exit.js";
import type { KubeClient } from "../kube/client.js";
import type { NodeDirectory } from "../match/node-directory.js";
import type { NodeFacts } from "../match/node-facts.js";
import { idlePrice } from "../providers/capabilities.js";
import type { AddressFacts } from "../providers/types.js";
import { type AccountAddress, contextOf, readAccounts, withAccounts } from "./accounts.js";
import { CLAIMING_KINDS, checkRead, ownersIn } from "./claimed.js";
import { withCluster } from "./cluster.js";
import { type CommandCall, CommandError, listOption, textOption } from "./command.js";
import { readNodes } from "./explain-question.js";
import { withProgress } from "./progress.js";
import { type KindRead, readKinds } from "./read.js";
import { dataText, tableText } from "./render/table.js";

/** One address that no resource of this cluster knows. */
export interface Orphan {
  readonly ip: string;
  readonly provider: string;
  readonly region: string;
  /** The node of this cluster, or the machine, that holds it; empty: none. */
  readonly holder: string;
  /** Who had it before, as far as the cluster shows; empty: not known. */
  readonly owner: string;
  /** Absent: the price is not known. */
  readonly usdPerMonth?: number;
}

export function run(call: CommandCall): Promise<number> {
  const asked = listOption(call, "release");
  return withCluster(call, ({ client }) =>
    withAccounts(call, async (providers) => {
      // The account first: an address that the operator creates meanwhile is in a resource by the time that those are read.
      const read = () => readAccounts(call, providers);
      const addresses = await withProgress(call.io, "reading the addresses of the account", read);
      const reads = await readResources(client, call);
      if (asked.length > 0) return release(call, { client, addresses, reads, asked });
      print(call, orphansOf(addresses, reads, await readNodes({ client, signal: call.io.stop })));
      return EXIT.ok;
    }),
  );
}

const { RoutedIPIssuer, ClusterRoutedIPClass } = KINDS;

async function readResources(client: KubeClient, { io }: CommandCall): Promise<readonly KindRead[]> {
  const kinds = [...CLAIMING_KINDS, RoutedIPIssuer, ClusterRoutedIPClass];
  const reads = await readKinds(client, io.stop, { kinds });
  checkRead(reads, "knows an address of the account");
  return reads;
}

function orphansOf(
  addresses: readonly AccountAddress[],
  reads: readonly KindRead[],
  nodes: NodeDirectory,
): readonly Orphan[] {
  const known = ownersIn(claiming(reads));
  const owners = formerOwners(reads, nodes);
  const names = new Map([...nodes.list()].map(({ machine, name }) => [machine, name]));
  const orphans = addresses.filter(({ facts }) => !known.has(facts.ip));
  return orphans
    .map(({ provider, facts }): Orphan => {
      const { ip, region, holder } = facts;
      const usdPerMonth = costOf(provider.name, facts);
      return {
        ...{ ip, provider: provider.name, region, owner: owners.get(ip) ?? "" },
        holder: holder === undefined ? "" : (names.get(holder) ?? holder),
        ...(usdPerMonth !== undefined && { usdPerMonth }),
      };
    })
    .sort((a, b) => (a.ip < b.ip ? -1 : 1));
}

function claiming(reads: readonly KindRead[]): readonly KindRead[] {
  return reads.filter(({ kind }) => CLAIMING_KINDS.some((one) => one.kind === kind.kind));
}

/** An address that its owner brought to the provider is not billed as reserved. */
function costOf(provider: string, { holder, borrowed, family }: AddressFacts): number | undefined {
  if (holder !== undefined || borrowed === true) return 0;
  return idlePrice(provider)?.usdPerMonth[family];
}

function formerOwners(reads: readonly KindRead[], nodes: NodeDirectory): ReadonlyMap<string, string> {
  return new Map([...reads.flatMap(retainedIn), ...[...nodes.list()].flatMap(annotatedOn)]);
}

type Owned = readonly [ip: string, owner: string];

/** Classes and issuers remember what they created and retained. */
function retainedIn({ kind, objects }: KindRead): readonly Owned[] {
  return objects.flatMap(({ metadata, status }) => {
    const { retainedAddresses = [] } = (status ?? {}) as ClusterRoutedIPClassStatus;
    return retainedAddresses.map(({ ip, namespace }): Owned => {
      return [canonicalIp(ip), `a RoutedIP of namespace ${namespace} (${kind.kind} ${metadata.name})`];
    });
  });
}

function annotatedOn({ annotations }: NodeFacts): readonly Owned[] {
  return Object.values(ADDRESS_ANNOTATIONS).flatMap(({ value, owner }): Owned[] => {
    const name = parseOwner(annotations[owner] ?? "");
    return name === undefined ? [] : [[canonicalIp(annotations[value] ?? ""), `${name.namespace}/${name.name}`]];
  });
}

function print({ io, ...call }: CommandCall, orphans: readonly Orphan[]): void {
  const format = textOption(call, "output");
  if (format === "json" || format === "yaml") {
    io.out(dataText(orphans, format));
    return;
  }
  const rows = orphans.map(({ ip, provider, region, holder, owner, usdPerMonth }) => {
    return [ip, provider, region || "-", holder || "-", usdPerMonth?.toFixed(2) ?? "unknown", owner || "-"];
  });
  if (rows.length > 0) {
    io.out(tableText([["ADDRESS", "PROVIDER", "REGION", "HOLDER", "USD/MONTH", "FORMER OWNER"], ...rows]));
  }
  if (!io.terminal) return;
  const total = orphans.reduce((sum, { usdPerMonth = 0 }) => sum + usdPerMonth, 0);
  io.err(
    rows.length === 0 ? "a resource knows each address\n" : `${rows.length} in all, ${total.toFixed(2)} USD a month\n`,
  );
}

interface Request {
  readonly client: KubeClient;
  readonly addresses: readonly AccountAddress[];
  readonly reads: readonly KindRead[];
  readonly asked: readonly string[];
}

async function release(call: CommandCall, { client, addresses, reads, asked }: Request): Promise<number> {
  const chosen = [...new Set(asked.map(canonicalIp))].map((ip) => chosenOf(addresses, ip));
  checkUnknown(chosen, reads);
  if (call.options["yes"] !== true) await confirm(call, chosen);
  // A person may have taken their time.
  checkUnknown(chosen, await readResources(client, call));
  const context = contextOf(call, "a person released it with flipop orphans");
  for (const { provider, facts } of chosen) {
    await provider.release(context, facts.ip);
    call.io.out(`released ${facts.ip}\n`);
  }
  return EXIT.ok;
}

/** @throws CommandError for one that can't be released */
function chosenOf(addresses: readonly AccountAddress[], ip: string): AccountAddress {
  const found = addresses.find(({ facts }) => facts.ip === ip);
  if (found === undefined) {
    throw new CommandError(`the account has no address ${ip}: flipop orphans lists those that can be released`);
  }
  const { holder, borrowed, action } = found.facts;
  if (borrowed === true) throw new CommandError(`${ip} is of a range that its owner brought: it can't be released`);
  if (holder !== undefined || action !== undefined) {
    const where = holder === undefined ? "an action runs on it" : `${holder} holds it`;
    throw new CommandError(`${ip} may be in use: ${where}; unassign it at the provider first`);
  }
  return found;
}

/** @throws CommandError where a resource may know one of them */
function checkUnknown(chosen: readonly AccountAddress[], reads: readonly KindRead[]): void {
  const owners = ownersIn(claiming(reads));
  for (const { facts } of chosen) {
    const owner = owners.get(facts.ip);
    if (owner !== undefined) throw new CommandError(`${owner} lists ${facts.ip}: remove it there first`);
  }
  const creating = claiming(reads).flatMap(({ kind, objects }) =>
    objects
      .filter(({ status }) => status?.["pendingCreation"] !== undefined)
      .map(({ metadata }) => `${kind.kind} ${metadata.namespace}/${metadata.name}`),
  );
  if (creating.length === 0) return;
  throw new CommandError(
    `${creating.join(", ")} creates an address, which may be one of these: wait until status.pendingCreation is gone`,
  );
}

async function confirm({ io }: CommandCall, chosen: readonly AccountAddress[]): Promise<void> {
  const text = chosen.map(({ provider, facts }) => `${facts.ip} (${provider.name})`).join(", ");
  const answer = await io.ask(
    `Release ${text}? Nothing brings an address back. Other clusters of the account may list it. Type yes: `,
  );
  if (answer === undefined) throw new CommandError("a pipe has no person who could confirm: add --yes");
  if (answer.trim() !== "yes") throw new CommandError("nothing was released");
}
