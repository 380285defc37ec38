/** What the metrics of a pool are labelled with. */

import { normalName } from "../../claims/dns-name.js";
import type { ControllerContext } from "../context.js";
import type { Labelled } from "./metrics.js";
import type { Pool } from "./snapshot.js";

export function labelsOf({ records }: Pick<ControllerContext, "records">, { metadata, spec }: Pool): Labelled {
  const { namespace = "", name } = metadata;
  return { namespace, name, provider: spec.provider, dns: fullName(records, spec) };
}

function fullName({ zones }: ControllerContext["records"], { provider, dnsRecordSet }: Pool["spec"]): string {
  if (dnsRecordSet === undefined) return "";
  const { zone, recordName } = dnsRecordSet;
  return normalName(dnsRecordSet.provider || provider, { zone, name: recordName }, zones.lookUp).fqdn;
}
