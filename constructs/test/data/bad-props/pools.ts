import { type Chart, Duration } from "cdk8s";
import {
  FloatingIPPool,
  type FloatingIPPoolProps,
  HealthCheck,
  IpFamily,
  IpProvider,
  ProbedAddress,
} from "../../../src";
import type { BadProps } from "./case";

/** A pool with an address, and bad props. */
export function pool(name: string, props: FloatingIPPoolProps, says: string): BadProps {
  const make = (chart: Chart) => new FloatingIPPool(chart, "bad", { ips: ["192.0.2.10"], ...props });
  return { name, make, says };
}

/** Bad props of a FloatingIPPool. */
export const BAD_POOLS: readonly BadProps[] = [
  {
    name: "a pool without addresses",
    make: (chart) => new FloatingIPPool(chart, "bad", {}),
    says: "the pool has no addresses: list some in ips, or set desiredIps to the number to create",
  },
  pool(
    "text that is not an address",
    { ips: ["192.0.2.010"] },
    'ips[0]: "192.0.2.010" is not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length',
  ),
  pool(
    "a probe that may take longer than its interval",
    { healthCheck: HealthCheck.tcp(80, { timeout: Duration.seconds(2) }) },
    "healthCheck: timeout exceeds interval: lower the timeout, or raise the interval",
  ),
  pool(
    "an interval of hours",
    { healthCheck: HealthCheck.tcp(80, { interval: Duration.hours(2) }) },
    "healthCheck.interval: 7200 seconds is too large: at most 300 seconds",
  ),
  pool(
    "probes of pods without pods",
    { healthCheck: HealthCheck.tcp(80, { address: ProbedAddress.POD_IP }) },
    "healthCheck.address is PodIP, but pods names no pods: set pods, or change address",
  ),
  pool(
    "addresses of two families",
    { ips: ["192.0.2.1", "2001:db8::1"] },
    'ips: "2001:db8::1" is of another family than "192.0.2.1": a pool has one family, create a second pool for the other one',
  ),
  pool(
    "addresses of another family than ipFamily",
    { ipFamily: IpFamily.IPV6 },
    "ipFamily is IPv6 but ips contains addresses of the other family: change ipFamily, or list addresses of that family",
  ),
  pool(
    "an address twice",
    { ips: ["2001:db8::1", "2001:DB8:0::1"] },
    'ips[1]: "2001:DB8:0::1" is listed twice: remove one',
  ),
  pool("a negative number of addresses", { desiredIps: -1 }, "desiredIps: -1 is too small: at least 0"),
  pool("half an address", { desiredIps: 1.5, region: "nyc3" }, "desiredIps: 1.5 is not a whole number"),
  pool("too many addresses", { desiredIps: 1025, region: "nyc3" }, "desiredIps: 1025 is too large: at most 1024"),
  pool(
    "addresses to create in no region",
    { desiredIps: 3 },
    'region: is missing, but 2 of 3 addresses must be created: give their region, such as "nyc3"',
  ),
  pool(
    "a region with white space",
    { region: "NYC 3" },
    `region: "NYC 3" contains white space, unlike any region's name: write "nyc3"`,
  ),
  pool(
    "a region from a Helm value",
    { region: "{{ .Values.region }}" },
    `region: "{{ .Values.region }}" contains white space, unlike any region's name: give one such as "nyc3"`,
  ),
  pool("an empty provider", { provider: IpProvider.of("") }, "provider: is empty: give a value"),
  pool(
    "a grace period with a fraction",
    { gracePeriod: Duration.millis(1500) },
    "gracePeriod: 1.5 seconds is not a whole number of seconds: round it, as in Duration.seconds(2)",
  ),
  pool(
    "a grace period of two days",
    { gracePeriod: Duration.days(2) },
    "gracePeriod: 172800 seconds is too large: at most 86400 seconds",
  ),
  pool(
    "a cool-off that is no number",
    { assignmentCoolOff: Duration.seconds(Number.NaN) },
    "assignmentCoolOff: NaN is not a number",
  ),
  pool(
    "a name with capitals",
    { metadata: { name: "Ingress" } },
    'metadata.name: "Ingress" is not the name of an object: use lower-case letters, digits, "-" and ".", with a letter or digit at each end, such as "flipop"',
  ),
  pool(
    "a name that is too long",
    { metadata: { name: "n".repeat(260) } },
    "metadata.name: has 260 characters: at most 253 are allowed",
  ),
  pool(
    "a namespace with a dot",
    { metadata: { namespace: "a.b" } },
    'metadata.namespace: "a.b" is not a DNS label: use at most 63 lower-case letters, digits and "-", with a letter or digit at each end, such as "flipop"',
  ),
  pool(
    "a label with a space in it",
    { metadata: { labels: { team: "a b" } } },
    'metadata.labels: "a b" is not a label value: use at most 63 letters, digits, "-", "_" and "."',
  ),
  pool(
    "an annotation without a name",
    { metadata: { annotations: { "a/": "b" } } },
    'metadata.annotations: "a/" is not an annotation key: write [prefix/]name, with a name of at most 63 letters, digits, "-", "_" and "."',
  ),
];
