/**
 * `flipop orphans --release`: releases addresses that no resource knows, or that their pool created and has disabled, also those
 * that a machine holds.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { canonicalIp, type FloatingIPPoolStatus, KINDS } from "cdk8s-flipop/api";
import type { KubeClient } from "../../kube/client.js";
import { refText } from "../../messages/claims.js";
import type { ActionFacts } from "../../providers/types.js";
import {
  LIST_MAX_AGE_SECONDS,
  RELEASE_POLL_MS,
  SHORT_LIST_MAX_AGE_SECONDS,
  UNASSIGNED_WITHIN_MS,
} from "../../timings.js";
import { claimantOf, namesWith, ownersIn } from "../claim-checks.js";
import { type CommandCall, CommandError } from "../command.js";
import type { KindRead, OwnObject } from "../list-objects.js";
import { type AccountAddress, contextOf } from "../read-accounts.js";
import { withProgress } from "../terminal.js";
import { claiming, type NodeNames, readResources } from "./resources.js";

export interface Request {
  readonly client: KubeClient;
  readonly addresses: readonly AccountAddress[];
  readonly reads: readonly KindRead[];
  readonly nodes: NodeNames;
  /** As typed. */
  readonly asked: readonly string[];
}

const { FloatingIPPool } = KINDS;
const WHY = "a person released it with flipop orphans";

const NOTICED = `the operator reads the account's addresses at least every ${LIST_MAX_AGE_SECONDS / 60} minutes, every ${SHORT_LIST_MAX_AGE_SECONDS / 60} while a resource lacks an address; until then, conditions may still name released ones`;

/** @throws CommandError before any change, if one of the addresses cannot be released */
export async function release(call: CommandCall, { client, addresses, reads, nodes, asked }: Request): Promise<void> {
  const chosen = [...new Set(asked.map(canonicalIp))].map((ip) => chosenOf(addresses, ip));
  checkUnknown(chosen, reads);
  checkHolders(call, chosen, nodes);
  if (call.options["yes"] !== true) await confirm(call, chosen, nodes);
  // A person may have taken their time.
  checkUnknown(chosen, await readResources(client, call));
  for (const address of chosen) {
    await unassign(call, address, nodes);
    await address.provider.release(contextOf(call, WHY), address.facts.ip);
    call.io.out(`released ${address.facts.ip}\n`);
  }
  call.io.err(`flipop: ${NOTICED}\n`);
}

/** @throws CommandError for one that can't be released */
function chosenOf(addresses: readonly AccountAddress[], ip: string): AccountAddress {
  const found = addresses.find(({ facts }) => facts.ip === ip);
  if (found === undefined) {
    throw new CommandError(`the account has no address ${ip}: flipop orphans lists those that can be released`);
  }
  const { borrowed, action } = found.facts;
  if (borrowed === true) throw new CommandError(`${ip} is of a range that its owner brought: it can't be released`);
  if (action !== undefined) {
    throw new CommandError(`an action of the provider runs on ${ip}: try again when it has ended`);
  }
  return found;
}

/** @throws CommandError where a resource may know one of them */
function checkUnknown(chosen: readonly AccountAddress[], reads: readonly KindRead[]): void {
  const owners = ownersIn(claiming(reads));
  for (const { facts } of chosen) {
    const owner = owners.get(facts.ip);
    const lister = owner === undefined ? undefined : listerOf(reads, facts.ip);
    if (lister !== undefined) throw new CommandError(`${lister} lists ${facts.ip}: remove it there first`);
    if (owner !== undefined && !isSurplus(reads, facts.ip)) throw new CommandError(usedText(owner, facts.ip));
    checkUnpublished(reads, facts.ip);
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

/** @throws CommandError while clients may still be sent to it */
function checkUnpublished(reads: readonly KindRead[], ip: string): void {
  for (const { kind, objects } of claiming(reads)) {
    for (const { metadata, status } of objects) {
      const [name] = namesWith(status, ip);
      if (name === undefined) continue;
      const { namespace = "" } = metadata;
      const resource = refText({ kind: kind.kind, namespace, name: metadata.name });
      throw new CommandError(
        `record ${name} of ${resource} still holds ${ip}: wait until it does not, and for its TTL`,
      );
    }
  }
}

function usedText(owner: string, ip: string): string {
  const first = owner.startsWith(FloatingIPPool.kind)
    ? "lower its desiredIPs, until its status shows the address as disabled"
    : "delete the resource; if the address still exists then";
  return `${owner} uses ${ip}, though its spec does not list it: first ${first}; then run the command again`;
}

/**
 * One pool alone has it, created it, and has disabled it for its spec as it is. The operator then only removes its entries: it
 * creates an address for a pool that has fewer than `desiredIPs`, and this one is beyond them.
 */
function isSurplus(reads: readonly KindRead[], ip: string): boolean {
  const claimants = claiming(reads).flatMap(({ kind, objects }) =>
    objects.filter((object) => claimantOf(kind.kind, object).addresses.some((address) => address.ip === ip)),
  );
  const [{ metadata, status } = { metadata: {}, status: {} }, ...others] = claimants;
  const { observedGeneration, ips = {} } = (status ?? {}) as FloatingIPPoolStatus;
  if (others.length > 0 || metadata.deletionTimestamp !== undefined) return false;
  return ips[ip]?.state === "disabled" && observedGeneration === metadata.generation;
}

/** Whose spec has it; a created address may be in a status only. */
function listerOf(reads: readonly KindRead[], ip: string): string | undefined {
  const lists = ({ spec }: OwnObject) => {
    const { ips = [], routedIP = "" } = (spec ?? {}) as Listing;
    return [...ips, routedIP].some((listed) => canonicalIp(listed) === ip);
  };
  return claiming(reads).flatMap(({ kind: { kind }, objects }) => {
    return objects.filter(lists).map(({ metadata: { namespace = "", name } }) => refText({ kind, namespace, name }));
  })[0];
}

interface Listing {
  readonly ips?: readonly string[];
  readonly routedIP?: string;
}

/** @throws CommandError if a machine would lose an address, and the call does not ask for that */
function checkHolders({ options }: CommandCall, chosen: readonly AccountAddress[], nodes: NodeNames): void {
  const held = chosen.filter(({ facts }) => facts.holder !== undefined);
  if (held.length === 0 || options["unassign"] === true) return;
  const places = held.map(({ facts }) => `${facts.ip} is on ${placeOf(facts.holder, nodes)}`).join("; ");
  throw new CommandError(`${places}: add --unassign if nothing uses ${held.length === 1 ? "it" : "them"} there`);
}

/** `node-2, a node of this cluster`. */
function placeOf(machine: string | undefined, nodes: NodeNames): string {
  const node = nodes.get(machine);
  return node === undefined ? `${machine}, which is no node of this cluster` : `${node}, a node of this cluster`;
}

/** Whoever takes an address off a machine types the address itself, so that a habit does not answer. */
async function confirm({ io }: CommandCall, chosen: readonly AccountAddress[], nodes: NodeNames): Promise<void> {
  const held = chosen.filter(({ facts }) => facts.holder !== undefined);
  const losses = held.map(({ facts }) => `${placeOf(facts.holder, nodes)}, loses ${facts.ip} at once.\n`).join("");
  const text = chosen.map(({ provider, facts }) => `${facts.ip} (${provider.name})`).join(", ");
  const word = held.length === 0 ? "yes" : held.map(({ facts }) => facts.ip).join(" ");
  const answer = await io.ask(
    `${losses}Release ${text}? Nothing brings an address back. Other clusters of the account may list it. Type ${word}: `,
  );
  if (answer === undefined) throw new CommandError("a pipe has no person who could confirm: add --yes");
  if (answer.trim() !== word) throw new CommandError("nothing was released");
}

async function unassign(call: CommandCall, { provider, facts }: AccountAddress, nodes: NodeNames): Promise<void> {
  const { ip, holder } = facts;
  if (holder === undefined) return;
  // The provider refuses it if another machine has the address by now.
  const begun = await provider.unassign(contextOf(call, WHY), { ip, from: holder });
  await withProgress(call.io, `waiting until ${ip} has left ${holder}`, () => ended(call, { provider, begun }));
  call.io.out(`unassigned ${ip} from ${nodes.get(holder) ?? holder}\n`);
}

interface Begun extends Pick<AccountAddress, "provider"> {
  readonly begun: ActionFacts;
}

/** @throws CommandError if the provider does not take the address off in time */
async function ended(call: CommandCall, { provider, begun }: Begun): Promise<void> {
  const { io } = call;
  const until = io.now() + UNASSIGNED_WITHIN_MS;
  const context = contextOf(call, WHY);
  let action = begun;
  while (action.state === "in-progress" && io.now() < until) {
    await sleep(RELEASE_POLL_MS, undefined, { signal: io.stop });
    action = await provider.action(context, action, undefined);
  }
  if (action.state === "completed") return;
  const seen = action.state === "errored" ? (action.message ?? "the provider's action failed") : "no end in 2 minutes";
  throw new CommandError(
    `${begun.ip} is not released, because it could not be unassigned: ${seen}; run flipop orphans`,
  );
}
