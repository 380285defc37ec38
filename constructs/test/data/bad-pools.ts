import { BAD_HEALTH_CHECKS } from "./bad-health-checks";
import { BAD_RECORD_SETS } from "./bad-record-sets";
import { BAD_SELECTORS } from "./bad-selectors";
import { type BadSpec, badOf } from "./bad-spec";

const pool = badOf("FloatingIPPool");

/** Invalid pools, each with one mistake. */
export const BAD_POOLS: readonly BadSpec[] = [
  ...BAD_SELECTORS,
  ...BAD_HEALTH_CHECKS,
  ...BAD_RECORD_SETS,
  ...[
    "",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1.2.3.4/32",
    "::ffff:1.2.3.4",
    "fe80::1%eth0",
    "2001:db8:::1",
    "host",
  ].map(badAddress),
  pool(
    { match: { podLabel: `app==${"x".repeat(64)}` } },
    { name: "pod selector with a long value", path: "spec.match.podLabel", says: "is not a label selector" },
  ),
  pool(
    { match: { nodeLabel: `a=b,${"c,".repeat(2100)}d` } },
    {
      name: "a selector beyond the maximum length",
      path: "spec.match.nodeLabel",
      says: "at most 4096",
      serverSays: "Too long: may not be more than 4096",
    },
  ),
  pool(
    { ips: ["192.0.2.1", "192.0.2.11", "192.0.2.2", "192.0.2.1"] },
    { name: "an address twice", path: "spec.ips[3]", says: '"192.0.2.1" is listed twice: remove one' },
  ),
  pool(
    { ips: ["2001:db8::1", "2001:db8::1"] },
    { name: "neighbours that are equal", path: "spec.ips[1]", says: '"2001:db8::1" is listed twice: remove one' },
  ),
  pool(
    { ips: ["192.0.2.1", "2001:db8::1"] },
    {
      name: "mixed families",
      path: "spec.ips",
      says: '"2001:db8::1" is of another family than "192.0.2.1": a pool has one family, create a second pool for the other one',
    },
  ),
  pool(
    { ipFamily: "IPv6" },
    {
      name: "ipFamily against ips",
      path: "spec",
      says: "ipFamily is IPv6 but ips contains addresses of the other family: change ipFamily, or list addresses of that family",
    },
  ),
  pool(
    { ips: ["2001:db8::1"], ipFamily: "IPv4" },
    {
      name: "ipFamily IPv4 against IPv6 addresses",
      path: "spec",
      says: "ipFamily is IPv4 but ips contains addresses of the other family",
    },
  ),
  pool(
    { ips: [] },
    {
      name: "neither ips nor desiredIPs",
      path: "spec",
      says: "the pool has no addresses: list some in ips, or set desiredIPs to the number to create",
    },
  ),
  pool(
    { ips: [], desiredIPs: 0 },
    { name: "no ips and desiredIPs 0", path: "spec", says: "the pool has no addresses" },
  ),
  pool(
    { maxMovesPerMinute: 0 },
    {
      name: "a limit of no move per minute",
      path: "spec.maxMovesPerMinute",
      says: "0 is too small: at least 1",
      serverSays: "should be greater than or equal to 1",
    },
  ),
  pool(
    { desiredIPs: -1 },
    {
      name: "negative desiredIPs",
      path: "spec.desiredIPs",
      says: "-1 is too small: at least 0",
      serverSays: "should be greater than or equal to 0",
    },
  ),
  pool(
    { desiredIPs: 1.5 },
    {
      name: "half an address",
      path: "spec.desiredIPs",
      says: "1.5 is not a whole number",
      serverSays: "must be of type integer",
    },
  ),
  pool(
    { desiredIPs: "3" },
    {
      name: "desiredIPs as text",
      path: "spec.desiredIPs",
      says: '"3" is not a number',
      serverSays: "must be of type integer",
    },
  ),
  pool(
    { desiredIPs: 1025 },
    {
      name: "too many addresses",
      path: "spec.desiredIPs",
      says: "1025 is too large: at most 1024",
      serverSays: "should be less than or equal to 1024",
    },
  ),
  pool(
    { assignmentCoolOffSeconds: -0.5 },
    {
      name: "negative cool-off",
      path: "spec.assignmentCoolOffSeconds",
      says: "-0.5 seconds is too small: at least 0 seconds",
      serverSays: "should be greater than or equal to 0",
    },
  ),
  pool(
    { gracePeriodSeconds: -1 },
    {
      name: "negative grace period",
      path: "spec.gracePeriodSeconds",
      says: "-1 seconds is too small: at least 0 seconds",
      serverSays: "should be greater than or equal to 0",
    },
  ),
  pool(
    { gracePeriodSeconds: 86_401 },
    {
      name: "grace period of more than a day",
      path: "spec.gracePeriodSeconds",
      says: "86401 seconds is too large: at most 86400 seconds",
      serverSays: "should be less than or equal to 86400",
    },
  ),
  pool(
    { provider: undefined },
    {
      name: "no provider",
      path: "spec.provider",
      says: "is required: add it",
      serverSays: "spec.provider: Required value",
    },
  ),
  pool(
    { provider: "" },
    {
      name: "empty provider",
      path: "spec.provider",
      says: "is empty: give a value",
      serverSays: "should be at least 1 chars long",
    },
  ),
  pool(
    { ips: "192.0.2.1" },
    { name: "ips as text", path: "spec.ips", says: '"192.0.2.1" is not a list', serverSays: "must be of type array" },
  ),
  pool(
    { ips: [1] },
    {
      name: "a number as address",
      path: "spec.ips[0]",
      says: "1 is not a string",
      serverSays: "must be of type string",
    },
  ),
  pool(
    { nodePreference: "Youngest" },
    {
      name: "unknown nodePreference",
      path: "spec.nodePreference",
      says: '"Youngest" is not supported: use "Stable" or "Name"',
      serverSays: 'supported values: "Stable", "Name"',
    },
  ),
  pool(
    { reclaimPolicy: "Recycle" },
    {
      name: "unknown reclaimPolicy",
      path: "spec.reclaimPolicy",
      says: '"Recycle" is not supported: use "Retain" or "Delete"',
      serverSays: 'supported values: "Retain", "Delete"',
    },
  ),
  pool(
    { ipFamily: "ipv4" },
    {
      name: "ipFamily in lower case",
      path: "spec.ipFamily",
      says: '"ipv4" is not supported: use "IPv4" or "IPv6"',
      serverSays: 'supported values: "IPv4", "IPv6"',
    },
  ),
  pool(
    { paused: "yes" },
    {
      name: "paused as text",
      path: "spec.paused",
      says: '"yes" is not true or false',
      serverSays: "must be of type boolean",
    },
  ),
  pool(
    { desiredIps: 3 },
    {
      name: "a field in the wrong case",
      path: "spec.desiredIps",
      says: 'is not a field: did you mean "desiredIPs"?',
      serverSays: 'unknown field "spec.desiredIps"',
    },
  ),
  pool(
    { match: { nodeSelector: "a=b" } },
    {
      name: "an unknown field",
      path: "spec.match.nodeSelector",
      says: 'is not a field: the fields are "podNamespace", "podLabel", "nodeLabel", "tolerations"',
      serverSays: 'unknown field "spec.match.nodeSelector"',
    },
  ),
  pool(
    { match: { podNamespace: "In_gress" } },
    {
      name: "an invalid podNamespace",
      path: "spec.match.podNamespace",
      says: '"In_gress" is not a DNS label: use at most 63 lower-case letters',
      serverSays: "should match",
    },
  ),
];

function badAddress(ip: string): BadSpec {
  return pool(
    { ips: [ip] },
    {
      name: `address ${JSON.stringify(ip)}`,
      path: "spec.ips[0]",
      says: `"${ip}" is not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length`,
    },
  );
}
