/** Which firewalls cover droplets: by id, or by a tag of the droplet. */

import type { CallContext } from "../call.js";
import type { FirewallFacts, FirewallSurvey } from "../firewall-types.js";
import type { ProviderId } from "../types.js";
import type { DigitalOceanClient } from "./client.js";
import { dropletIdOf, findDroplet, listDroplets, readDropletTags } from "./droplets.js";

export interface TaggedFirewall extends FirewallFacts {
  readonly tags: readonly string[];
}

interface Asked {
  readonly others: readonly TaggedFirewall[];
  readonly nodes: readonly ProviderId[];
}

/** So many machines in no firewall are read with one list of all, which has 200 on a page: one after the other, they take longer. */
const LISTED_FROM = 4;

/** A machine in no firewall is read: a tag may cover it, or it may not exist. */
export async function coverageOf(
  client: DigitalOceanClient,
  context: CallContext,
  { others, nodes }: Asked,
): Promise<Required<Pick<FirewallSurvey, "coveredBy" | "gone">>> {
  const coveredBy = new Map<ProviderId, readonly string[]>();
  const gone = new Set<ProviderId>();
  for (const node of nodes)
    coveredBy.set(
      node,
      namesOf(others, (firewall) => firewall.nodes.includes(node)),
    );
  const bare = nodes.filter((node) => coveredBy.get(node)?.length === 0);
  const listed = bare.length < LISTED_FROM ? [] : await listDroplets(client, context, readDropletTags);
  const tagsOf = new Map(listed.map(({ id, tags }) => [id, tags]));
  for (const node of bare) {
    const id = dropletIdOf(node);
    // One that the list lacks may be younger.
    const tags = tagsOf.get(id) ?? (await findDroplet(client, context, id))?.tags;
    if (tags === undefined) gone.add(node);
    else
      coveredBy.set(
        node,
        namesOf(others, (firewall) => firewall.tags.some((tag) => tags.includes(tag))),
      );
  }
  return { coveredBy, gone };
}

function namesOf(
  firewalls: readonly TaggedFirewall[],
  covers: (firewall: TaggedFirewall) => boolean,
): readonly string[] {
  return firewalls.filter(covers).map(({ name }) => name);
}
