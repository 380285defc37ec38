import { type BadSpec, badOf } from "./bad-spec";

const pool = badOf("FloatingIPPool");

/** Pools whose DNS record set has a mistake. */
export const BAD_RECORD_SETS: readonly BadSpec[] = [
  ...["a b", "-a", "a..b", ".a", `${"x".repeat(64)}.a`, "*a", "bücher"].map(badName),
  pool(
    { dnsRecordSet: { zone: "example.com" } },
    {
      name: "a record set without name",
      path: "spec.dnsRecordSet.recordName",
      says: "is required: add it",
      serverSays: "spec.dnsRecordSet.recordName: Required value",
    },
  ),
  pool(
    { dnsRecordSet: { recordName: `${"a.".repeat(123)}a`, zone: "example.com." } },
    {
      name: "a name that is too long with its zone",
      path: "spec.dnsRecordSet.recordName",
      says: "recordName and zone have 259 characters together: a DNS name has at most 253: shorten recordName",
      serverSays:
        "recordName and zone have too many characters together: a DNS name has at most 253: shorten recordName",
    },
  ),
  pool(
    { dnsRecordSet: { recordName: "www" } },
    {
      name: "a record set without zone",
      path: "spec.dnsRecordSet.zone",
      says: "is required: add it",
      serverSays: "spec.dnsRecordSet.zone: Required value",
    },
  ),
  pool(
    { dnsRecordSet: { recordName: "www", zone: "" } },
    {
      name: "an empty zone",
      path: "spec.dnsRecordSet.zone",
      says: "is empty: give a value",
      serverSays: "should be at least 1 chars long",
    },
  ),
  pool(
    { dnsRecordSet: { recordName: "www", zone: "example.com", ttl: -1 } },
    {
      name: "a negative TTL",
      path: "spec.dnsRecordSet.ttl",
      says: "-1 seconds is too small: at least 0 seconds",
      serverSays: "should be greater than or equal to 0",
    },
  ),
];

function badName(recordName: string): BadSpec {
  return pool(
    { dnsRecordSet: { recordName, zone: "example.com" } },
    {
      name: `record name "${recordName.slice(0, 20)}"`,
      path: "spec.dnsRecordSet.recordName",
      says: `"${recordName}" is not a DNS name: give one such as www.example.com, with other alphabets in their "xn--" form`,
    },
  );
}
