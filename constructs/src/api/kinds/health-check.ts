import type { Rule, SchemaOf } from "../schema/schema";
import { MAX_ERROR } from "./address-status";

/** How a node is probed. */
export type HealthCheckType = "TCP" | "HTTP" | "HTTPS";

/** Which address is probed: one of the node, or that of the pod that serves on it. */
export type ProbedAddress = "InternalIP" | "ExternalIP" | "PodIP";

/** Probes of the nodes, by the operator itself. */
export interface HealthCheck {
  readonly type: HealthCheckType;
  readonly port: number;
  readonly address?: ProbedAddress;
  readonly path?: string;
  readonly expectedStatuses?: readonly number[];
  readonly insecureSkipVerify?: boolean;
  readonly intervalSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
  readonly successThreshold?: number;
}

/** Values of absent fields. */
export const HEALTH_CHECK_DEFAULTS = {
  address: "InternalIP",
  path: "/",
  intervalSeconds: 1,
  timeoutSeconds: 1,
  failureThreshold: 2,
  successThreshold: 2,
} as const;

/** Maximum interval and timeout. */
const MAX_PROBE_SECONDS = 300;
const MAX_THRESHOLD = 100;
const MAX_STATUSES = 32;

const rules: readonly Rule<HealthCheck>[] = [
  {
    cel: "self.type != 'TCP' || (!has(self.path) && !has(self.expectedStatuses))",
    message: "path and expectedStatuses need type HTTP or HTTPS: change type, or remove them",
    check: ({ type, path, expectedStatuses }) =>
      type === "TCP" && (path !== undefined || expectedStatuses !== undefined)
        ? "path and expectedStatuses need type HTTP or HTTPS: change type, or remove them"
        : undefined,
  },
  {
    cel: "self.type == 'HTTPS' || !has(self.insecureSkipVerify) || !self.insecureSkipVerify",
    message: "insecureSkipVerify needs type HTTPS: change type, or remove it",
    check: ({ type, insecureSkipVerify }) =>
      type !== "HTTPS" && insecureSkipVerify === true
        ? "insecureSkipVerify needs type HTTPS: change type, or remove it"
        : undefined,
  },
  {
    cel: "(has(self.timeoutSeconds) ? self.timeoutSeconds : 1) <= (has(self.intervalSeconds) ? self.intervalSeconds : 1)",
    message: "timeoutSeconds exceeds intervalSeconds: lower the timeout, or raise the interval",
    check: ({ timeoutSeconds = 1, intervalSeconds = 1 }) =>
      timeoutSeconds > intervalSeconds
        ? "timeoutSeconds exceeds intervalSeconds: lower the timeout, or raise the interval"
        : undefined,
  },
];

/** Schema of {@link HealthCheck}. */
export const healthCheckSchema: SchemaOf<HealthCheck> = {
  type: "object",
  description: "Probes of the nodes, by the operator itself.",
  rules,
  properties: {
    type: {
      type: "string",
      description:
        "What a probe does. TCP: opens a connection to the port. HTTP, HTTPS: also sends a GET request; the probe succeeds if the status is expected.",
      example: "TCP",
      enum: { TCP: true, HTTP: true, HTTPS: true },
    },
    port: {
      type: "integer",
      description:
        "TCP port on the node, such as a hostPort; with address PodIP, of the pod. A nodePort may answer for a pod on another node. For a UDP service, name a TCP port that the same process opens on the node, such as that of its readiness endpoint.",
      example: 80,
      minimum: 1,
      maximum: 65_535,
    },
    address: {
      type: "string",
      optional: true,
      description:
        "Which address the operator probes: one of the node, or with PodIP the address of the pod that serves on the node, which needs no open port on the node. A node without such an address is not probed.",
      example: "InternalIP",
      enum: { InternalIP: true, ExternalIP: true, PodIP: true },
      default: HEALTH_CHECK_DEFAULTS.address,
    },
    path: {
      type: "string",
      optional: true,
      description: "Path of the request, for type HTTP and HTTPS. Absent: `/`.",
      example: "/healthz",
      pattern: "^/[!-~]*$",
      words: { is: "a path", use: "start with / and use printable ASCII characters without spaces" },
      minLength: 1,
      maxLength: 1024,
    },
    expectedStatuses: {
      type: "array",
      optional: true,
      description:
        "Statuses of a response that make a probe succeed, for type HTTP and HTTPS. Absent: 200 to 399. The operator does not follow redirects.",
      example: [200],
      items: { type: "integer", description: "An HTTP status.", minimum: 100, maximum: 599 },
      listType: "atomic",
      maxItems: MAX_STATUSES,
    },
    insecureSkipVerify: {
      type: "boolean",
      optional: true,
      description:
        "Whether the operator accepts any certificate, for type HTTPS. Otherwise, the certificate must be valid for the node's address.",
      default: false,
    },
    intervalSeconds: {
      type: "integer",
      optional: true,
      description:
        "Seconds from one probe of a holder to the next. The operator probes the next candidates at every fifth interval.",
      example: 1,
      minimum: 1,
      maximum: MAX_PROBE_SECONDS,
      unit: "seconds",
      default: HEALTH_CHECK_DEFAULTS.intervalSeconds,
    },
    timeoutSeconds: {
      type: "integer",
      optional: true,
      description: "Seconds until a probe without an answer counts as failed; at most `intervalSeconds`.",
      example: 1,
      minimum: 1,
      maximum: MAX_PROBE_SECONDS,
      unit: "seconds",
      default: HEALTH_CHECK_DEFAULTS.timeoutSeconds,
    },
    failureThreshold: {
      type: "integer",
      optional: true,
      description: "Failed probes in a row after which the node counts as failed.",
      example: 2,
      minimum: 1,
      maximum: MAX_THRESHOLD,
      default: HEALTH_CHECK_DEFAULTS.failureThreshold,
    },
    successThreshold: {
      type: "integer",
      optional: true,
      description: "Successful probes in a row after which a failed node counts as healthy again.",
      example: 2,
      minimum: 1,
      maximum: MAX_THRESHOLD,
      default: HEALTH_CHECK_DEFAULTS.successThreshold,
    },
  },
};

const NO_POD = "healthCheck.address is PodIP, but match.podLabel names no pods: set podLabel, or change address";

interface ProbedMatch {
  readonly healthCheck?: HealthCheck;
  readonly match?: { readonly podLabel?: string };
}

/** A resource that probes pods must say which. */
export const podAddressRule: Rule<ProbedMatch> = {
  cel: "!has(self.healthCheck) || !has(self.healthCheck.address) || self.healthCheck.address != 'PodIP' || (has(self.match) && has(self.match.podLabel) && self.match.podLabel != '')",
  message: NO_POD,
  check: ({ healthCheck, match }) =>
    healthCheck?.address === "PodIP" && (match?.podLabel ?? "") === "" ? NO_POD : undefined,
};

/** A node whose probes fail. */
export interface FailedProbe {
  readonly nodeName: string;
  readonly error: string;
}

/** Maximum number of entries of `failedProbes`. */
export const MAX_FAILED_PROBES = 50;

/** Schema of `status.failedProbes`. */
export const failedProbesSchema: SchemaOf<readonly FailedProbe[]> = {
  type: "array",
  description: "The first 50 nodes whose probes of `spec.healthCheck` fail, by name, with the last error.",
  items: {
    type: "object",
    description: "A node whose probes fail.",
    properties: {
      nodeName: { type: "string", description: "The node's name.", maxLength: 253 },
      error: { type: "string", description: "What the operator probed, and the last error.", maxLength: MAX_ERROR },
    },
  },
  listType: "map",
  keys: ["nodeName"],
  maxItems: MAX_FAILED_PROBES,
};
