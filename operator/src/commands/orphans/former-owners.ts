/** Who had an address before, as far as the cluster shows. */

import { type ClusterRoutedIPClassStatus, canonicalIp, type EventReason } from "cdk8s-flipop/api";
import { ADDRESS_ANNOTATIONS, parseOwner } from "../../addresses/annotations.js";
import type { KubeClient } from "../../kube/client.js";
import type { NodeDirectory } from "../../match/node-directory.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { type KindRead, listAll, unlessRefused } from "../list-objects.js";

/** An Event that names the addresses of a deleted resource. */
interface Retention {
  readonly eventTime?: string;
  readonly note?: string;
  readonly regarding?: Ref;
  readonly related?: Ref;
}

interface Ref {
  readonly namespace?: string;
  readonly name?: string;
}

const REASON: EventReason = "Retained";

/** Empty also if the user may not read Events: they are a remark. */
export async function readRetentions(client: KubeClient, signal: AbortSignal): Promise<readonly Retention[]> {
  const target = { path: "/apis/events.k8s.io/v1/events", fieldSelector: `reason=${REASON}` };
  return (await unlessRefused(listAll<Retention>(client, target, signal))) ?? [];
}

/** By canonical address. What lasts longest counts most. */
export function formerOwners(
  reads: readonly KindRead[],
  nodes: NodeDirectory,
  retentions: readonly Retention[],
): ReadonlyMap<string, string> {
  const byTime = [...retentions].sort((a, b) => ((a.eventTime ?? "") < (b.eventTime ?? "") ? -1 : 1));
  return new Map([...byTime.flatMap(namedIn), ...reads.flatMap(retainedIn), ...[...nodes.list()].flatMap(annotatedOn)]);
}

type Owned = readonly [ip: string, owner: string];

/** Where the namespace goes, too, the Event is about the namespace, and related to the resource. */
function namedIn({ note = "", regarding, related = regarding }: Retention): readonly Owned[] {
  const { namespace, name } = related ?? {};
  if (namespace === undefined) return [];
  return note.split(/[\s,;[\]]+/).map((word): Owned => [canonicalIp(word), `${namespace}/${name}`]);
}

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
