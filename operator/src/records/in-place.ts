/** What the condition says of a record set that is in place: where it is, and whether its name probably means another zone. */

import { type DnsRecordSet, looksComplete } from "cdk8s-flipop/api";
import type { Problem } from "../messages/message.js";
import { recordMessages } from "../messages/records.js";
import { type DnsSnapshot, fullNameOf } from "./record-plan.js";

/** @param cause the content. The provider is the one that has the record set, whether the spec names it or not. */
export function inNamedZone(
  dns: Pick<DnsSnapshot, "fqdn"> | undefined,
  { recordName = "", zone = "", provider = "" }: Partial<DnsRecordSet> = {},
  cause: Problem,
): Problem {
  const name = fullNameOf(dns, { recordName, zone });
  const isPlain = cause.reason === "Observed" && provider !== "";
  const content = isPlain ? recordMessages.at({ cause, provider }) : cause;
  return looksComplete(recordName, name) ? recordMessages.nameCompleted({ recordName, name, cause: content }) : content;
}
