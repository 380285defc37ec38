import { canonicalIp } from "../../api/ip-address";
import { listedTwice } from "../../api/kinds/floating-ip-pool-rules";
import { isObject, type JsonObject } from "../../api/schema/schema";
import { listOf } from "../app/claims";
import type { Draft } from "../refusal-collector";
import { checkRecordSet } from "./check-record-set";
import { checkRegion } from "./check-region";

/** Refuses mistakes that the API server accepts, because the operator can handle them. */
export function checkPool({ ips, desiredIPs, region, dnsRecordSet }: JsonObject, draft: Draft): void {
  const spellings = listOf(ips).map((ip) => canonicalIp(String(ip)));
  for (const [index, spelling] of spellings.entries()) {
    if (spellings.indexOf(spelling) === index) continue;
    draft.at(`ips[${index}]`).refuse(listedTwice(String(listOf(ips)[index])));
  }
  const listed = new Set(spellings).size;
  const desired = typeof desiredIPs === "number" ? desiredIPs : 0;
  if (desired > listed && (region ?? "") === "") {
    draft
      .at("region")
      .refuse(
        `is missing, but ${desired - listed} of ${desired} addresses must be created: give their region, such as "nyc3"`,
      );
  }
  checkRegion(region, draft.at("region"));
  if (isObject(dnsRecordSet)) checkRecordSet(dnsRecordSet, draft.at("dnsRecord"));
}
