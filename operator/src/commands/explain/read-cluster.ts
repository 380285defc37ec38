/** Reads what resources ask of nodes, and which addresses the nodes hold. */

import type { AnyKind } from "cdk8s-flipop/api";
import type { KubeClient } from "../../kube/client.js";
import type { NodeDirectory } from "../../match/node-directory.js";
import { keptIn } from "../../messages/nodes/busy-nodes.js";
import type { AddressFacts } from "../../providers/types.js";
import { omitUndefined } from "../../values.js";
import { ownersIn } from "../claim-checks.js";
import { type CommandCall, CommandError } from "../command.js";
import { type KindRead, type OwnObject, readKinds, readNodes } from "../list-objects.js";
import { readAccounts, withKnownAccounts } from "../read-accounts.js";
import { withProgress } from "../terminal.js";
import { heldBy, type Retained, refusedIn, retainedIn, withUnowned } from "./held-addresses.js";
import type { Question } from "./node-explanation.js";
import { type KnownAddresses, regionsFor } from "./regions.js";
import { type Asked, QUESTIONS, type Reader } from "./requirements.js";

/** All that questions about nodes have in common. */
export interface ClusterRead {
  readonly reader: Reader;
  readonly nodes: NodeDirectory;
  /** Addresses of the accounts whose tokens are there. */
  readonly account: readonly AddressFacts[];
}

export async function readCluster(
  call: CommandCall,
  client: KubeClient,
  kinds: readonly AnyKind[],
): Promise<ClusterRead> {
  const signal = call.io.stop;
  // The account first: an address that the operator creates meanwhile is in a resource by the time that those are read.
  const account = await readKnownAccounts(call);
  const [reads, nodes] = await Promise.all([readKinds(client, signal, { kinds }), readNodes(client, signal)]);
  return { reader: { client, signal, reads }, nodes, account };
}

/** To say at the end: the output is right as far as it goes. */
export function warnOfUnread({ io }: CommandCall, reads: readonly KindRead[]): void {
  const unread = reads.filter(({ problem }) => problem !== undefined).map(({ kind }) => kind.plural);
  if (unread.length > 0) io.err(`flipop: addresses of ${unread.join(", ")} are not considered: they can't be read\n`);
}

interface Answer {
  readonly asked: Asked;
  readonly question: Question;
  readonly retained: readonly Retained[];
}

/** @throws CommandError for a spec that asks for nothing usable */
export async function ask(
  { reader, nodes, account }: ClusterRead,
  { kind }: AnyKind,
  object: OwnObject,
): Promise<Answer> {
  const asking = QUESTIONS[kind];
  if (asking === undefined) throw new CommandError(`${kind} needs no nodes`);
  const asked = await asking(reader, object);
  const holding = reader.reads.filter(holdsAddresses);
  const known = ownersIn(holding);
  const refused = refusedIn(holding);
  const unowned = account.filter(({ ip }) => !known.has(ip) || refused.has(ip));
  const retained = retainedIn(reader.reads, known);
  const subject = { uid: object.metadata.uid, family: asked.family };
  const held = withUnowned(heldBy(holding, nodes, subject), unowned, { family: asked.family, retained, refused });
  return { asked, retained, question: withHolders(asked, { account, heldBy: held, nodes }, keptOf(object)) };
}

function keptOf({ status }: OwnObject): ReadonlyMap<string, string> {
  const messages = (status?.conditions ?? []).map(({ message }) => message);
  return new Map(messages.flatMap((message) => [...keptIn(message)]));
}

export function holdsAddresses({ kind }: { readonly kind: AnyKind }): boolean {
  return kind.kind === "FloatingIPPool" || kind.kind === "RoutedIP";
}

function withHolders(
  { limit, family: _family, addresses, near: _near, ...asked }: Asked,
  known: KnownAddresses,
  keptFor: ReadonlyMap<string, string>,
): Question {
  if (limit === undefined) return asked;
  const room = { limit, heldBy: known.heldBy, keptFor };
  const regions = addresses && regionsFor(addresses, known);
  return { ...asked, room, ...omitUndefined({ regions }) };
}

/** Addresses of the accounts whose tokens are there; without one, `explain` still knows those in the status of resources. */
async function readKnownAccounts(call: CommandCall): Promise<readonly AddressFacts[]> {
  try {
    const read = () => withKnownAccounts(call, (providers) => readAccounts(call, providers));
    const found = await withProgress(call.io, "reading the addresses of the account", read);
    return found.map(({ facts }) => facts);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    call.io.err(`flipop: addresses that no resource knows are not considered: ${error.message}\n`);
    return [];
  }
}
