import { type BadSpec, badOf } from "./bad-spec";

const pool = badOf("FloatingIPPool");

/** Pools whose health check has a mistake. */
export const BAD_HEALTH_CHECKS: readonly BadSpec[] = [
  pool(
    { healthCheck: { port: 80 } },
    {
      name: "a health check without a type",
      path: "spec.healthCheck.type",
      says: "is required: add it",
      serverSays: "spec.healthCheck.type: Required value",
    },
  ),
  pool(
    { healthCheck: { type: "UDP", port: 53 } },
    {
      name: "a health check by UDP",
      path: "spec.healthCheck.type",
      says: '"UDP" is not supported',
      serverSays: 'Unsupported value: "UDP"',
    },
  ),
  pool(
    { healthCheck: { type: "TCP", port: 65_536 } },
    {
      name: "a health check of a port beyond the last one",
      path: "spec.healthCheck.port",
      says: "65536 is too large: at most 65535",
      serverSays: "should be less than or equal to 65535",
    },
  ),
  pool(
    { healthCheck: { type: "TCP", port: 80, path: "/healthz" } },
    {
      name: "a path of a TCP probe",
      path: "spec.healthCheck",
      says: "path and expectedStatuses need type HTTP or HTTPS: change type, or remove them",
    },
  ),
  pool(
    { healthCheck: { type: "HTTP", port: 80, insecureSkipVerify: true } },
    {
      name: "insecureSkipVerify without HTTPS",
      path: "spec.healthCheck",
      says: "insecureSkipVerify needs type HTTPS: change type, or remove it",
    },
  ),
  pool(
    { healthCheck: { type: "TCP", port: 80, timeoutSeconds: 2 } },
    {
      name: "a probe's timeout above its interval",
      path: "spec.healthCheck",
      says: "timeoutSeconds exceeds intervalSeconds: lower the timeout, or raise the interval",
    },
  ),
  pool(
    { healthCheck: { type: "TCP", port: 80, address: "PodIP" } },
    {
      name: "probes of pods without a podLabel",
      path: "spec",
      says: "healthCheck.address is PodIP, but match.podLabel names no pods: set podLabel, or change address",
    },
  ),
];
