/** The resources of the cluster that `flipop orphans` compares the accounts with. */

import { KINDS } from "cdk8s-flipop/api";
import type { KubeClient } from "../../kube/client.js";
import { CLAIMING_KINDS, checkRead } from "../claim-checks.js";
import type { CommandCall } from "../command.js";
import { type KindRead, readKinds } from "../list-objects.js";

const { RoutedIPIssuer, ClusterRoutedIPClass } = KINDS;

/** @throws CommandError if a kind cannot be read, since one of its resources may know an address */
export async function readResources(client: KubeClient, { io }: Pick<CommandCall, "io">): Promise<readonly KindRead[]> {
  const kinds = [...CLAIMING_KINDS, RoutedIPIssuer, ClusterRoutedIPClass];
  const reads = await readKinds(client, io.stop, { kinds });
  checkRead(reads, "knows an address of the account");
  return reads;
}

/** Only the kinds whose resources have addresses. */
export function claiming(reads: readonly KindRead[]): readonly KindRead[] {
  return reads.filter(({ kind }) => CLAIMING_KINDS.some((one) => one.kind === kind.kind));
}

/** Names of the cluster's nodes, by machine. */
export type NodeNames = ReadonlyMap<string | undefined, string>;
