import { Duration } from "cdk8s";
import { FloatingIPPool, HealthCheck, type HttpsHealthCheckOptions, IpFamily, Toleration } from "../../../src";
import { type Make, many, type PropClaim } from "./claim";

const ips = (count: number) => many(count, (index) => `45.55.${Math.floor(index / 256)}.${index % 256}`);
const pool =
  (props: object): Make =>
  (chart) =>
    new FloatingIPPool(chart, "it", { ips: ["45.55.96.1"], ...props });
const tolerations = (count: number) => many(count, (index) => `key-${index}`).map((key) => Toleration.key(key));

const check = (options: HttpsHealthCheckOptions): Make => pool({ healthCheck: HealthCheck.https(443, options) });
const interval = Duration.seconds(300);

/** Of a FloatingIPPool, its match and its health check. */
export const POOL_CLAIMS: readonly PropClaim[] = [
  [
    "FloatingIPPoolProps.desiredIps",
    "0 to 1024",
    [pool({ desiredIps: 0 }), pool({ desiredIps: 1024, region: "nyc3" })],
    [pool({ desiredIps: 1025, region: "nyc3" }), pool({ desiredIps: -1 })],
  ],
  ["FloatingIPPoolProps.ips", "1024 at most", [pool({ ips: ips(1024) })], [pool({ ips: ips(1025) })]],
  [
    "FloatingIPPoolProps.ips",
    "all of one family, without duplicates",
    [pool({ ips: ips(2) })],
    [pool({ ips: ["45.55.96.1", "2604:a880::1"] }), pool({ ips: ["45.55.96.1", "45.55.96.1"] })],
  ],
  [
    "FloatingIPPoolProps.region",
    "this construct requires a region",
    [pool({ desiredIps: 2, region: "nyc3" })],
    [pool({ desiredIps: 2 })],
  ],
  [
    "FloatingIPPoolProps.assignmentCoolOff",
    "Fractions of a second are allowed",
    [pool({ assignmentCoolOff: Duration.millis(1500) })],
    [],
  ],
  [
    "FloatingIPPoolProps.maxMovesPerMinute",
    "1 to 1000",
    [pool({ maxMovesPerMinute: 1 }), pool({ maxMovesPerMinute: 1000 })],
    [pool({ maxMovesPerMinute: 0 }), pool({ maxMovesPerMinute: 1001 })],
  ],
  [
    "FloatingIPPoolProps.gracePeriod",
    "Whole seconds, 0 to a day",
    [pool({ gracePeriod: Duration.days(1) }), pool({ gracePeriod: Duration.seconds(0) })],
    [pool({ gracePeriod: Duration.millis(1500) }), pool({ gracePeriod: Duration.seconds(86_401) })],
  ],
  [
    "HealthCheckOptions.interval",
    "Whole seconds, 1 to 300",
    [check({ interval })],
    [check({ interval: Duration.seconds(301) }), check({ interval: Duration.millis(1500) })],
  ],
  [
    "HealthCheckOptions.timeout",
    "Whole seconds, 1 to 300, and at most `interval`",
    [check({ interval, timeout: interval })],
    [
      check({ interval, timeout: Duration.seconds(301) }),
      check({ interval, timeout: Duration.seconds(0) }),
      check({ timeout: Duration.seconds(2) }),
    ],
  ],
  [
    "HealthCheckOptions.failureThreshold",
    "1 to 100",
    [check({ failureThreshold: 1 }), check({ failureThreshold: 100 })],
    [check({ failureThreshold: 0 }), check({ failureThreshold: 101 })],
  ],
  [
    "HealthCheckOptions.successThreshold",
    "1 to 100",
    [check({ successThreshold: 1 }), check({ successThreshold: 100 })],
    [check({ successThreshold: 0 }), check({ successThreshold: 101 })],
  ],
  [
    "HttpHealthCheckOptions.path",
    "starts with `/`, and has printable ASCII characters without spaces, 1024 at most",
    [check({ path: `/${"a".repeat(1023)}` })],
    [check({ path: "healthz" }), check({ path: "/a b" }), check({ path: `/${"a".repeat(1024)}` })],
  ],
  [
    "HttpHealthCheckOptions.expectedStatuses",
    "each from 100 to 599, 32 at most",
    [check({ expectedStatuses: many(32, (index) => 200 + index) }), check({ expectedStatuses: [100, 599] })],
    [
      check({ expectedStatuses: many(33, (index) => 200 + index) }),
      check({ expectedStatuses: [99] }),
      check({ expectedStatuses: [600] }),
    ],
  ],
  [
    "FloatingIPPoolProps.ipFamily",
    "Family of all addresses of the pool",
    [pool({ ipFamily: IpFamily.IPV4 })],
    [pool({ ipFamily: IpFamily.IPV6 })],
  ],
  [
    "MatchProps.tolerations",
    "128 tolerations at most",
    [pool({ tolerations: tolerations(128) })],
    [pool({ tolerations: tolerations(129) })],
  ],
];
