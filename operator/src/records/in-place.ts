/** What the condition says of a record set that is in place: where it is, and what users of the name may not expect. */

import { type DnsRecordSet, looksComplete } from "cdk8s-flipop/api";
import type { Problem } from "../messages/message.js";
import { recordMessages } from "../messages/records.js";
import { type DnsSnapshot, fullNameOf, ttlOf } from "./record-plan.js";

type Named = Partial<DnsRecordSet>;
type Seen = Pick<DnsSnapshot, "fqdn" | "capabilities" | "remarks">;

/** @param held the content. The provider is the one that has the record set, whether the spec names it or not. */
export function inPlace(dns: Seen | undefined, named: Named, held: Problem): Problem {
  const { recordName = "" } = named;
  const name = fullNameOf(dns, named);
  const cause = withRemarks(dns, named, held);
  return looksComplete(recordName, name) ? recordMessages.nameCompleted({ recordName, name, cause }) : cause;
}

/** The TTL of a proxied name is not for the resource to choose. */
function withRemarks(dns: Seen | undefined, { provider = "", ttl }: Named, cause: Problem): Problem {
  const { proxied, others } = dns?.remarks ?? { proxied: false, others: [] };
  const remarked = { cause, provider, others };
  const raised = raisedTtl(dns, ttl);
  if (proxied) return recordMessages.proxied(remarked);
  if (raised !== undefined) return recordMessages.ttlRaised({ ...remarked, ...raised });
  if (others.length > 0) return recordMessages.unmanaged(remarked);
  return provider === "" ? cause : recordMessages.at({ cause, provider });
}

function raisedTtl(dns: Seen | undefined, asked = 0) {
  const used = ttlOf(dns, { ttl: asked });
  return asked > 0 && used > asked ? { asked, used } : undefined;
}
