/** What is probed for a node: the fields of a health check with their defaults, and the address of the node. */

import { BlockList } from "node:net";
import { HEALTH_CHECK_DEFAULTS, type HealthCheck, isIp } from "cdk8s-flipop/api";
import type { NodeFacts } from "../match/node-facts.js";
import { SECOND_MS } from "../timings.js";
import { netFamilyOf } from "../values.js";
import type { Thresholds } from "./probe-state.js";

export interface ProbeTarget {
  readonly type: HealthCheck["type"];
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** Of HTTP and HTTPS. */
  readonly path: string;
  /** Empty: every status from 200 to 399. */
  readonly expectedStatuses: readonly number[];
  readonly insecureSkipVerify: boolean;
}

/** Targets with the same key are one target. */
export function keyOf(target: ProbeTarget): string {
  const { type, host, port, timeoutMs, path, expectedStatuses, insecureSkipVerify } = target;
  return JSON.stringify([type, host, port, timeoutMs, path, [...expectedStatuses].sort(), insecureSkipVerify]);
}

/** `TCP 10.0.0.1:80`, `HTTP 10.0.0.1:80/healthz`. */
export function targetText({ type, host, port, path }: ProbeTarget): string {
  const where = host.includes(":") ? `[${host}]` : host;
  return `${type} ${where}:${port}${type === "TCP" ? "" : path}`;
}

/** The address of the pod that serves on a node, by the node's name. */
export type PodAddresses = (node: string) => string | undefined;

/** Link-local addresses, among them the metadata services of clouds, and addresses that stand for no single host. */
const NO_HOSTS = blocked(
  "0.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/128",
  "fe80::/10",
  "ff00::/8",
);

function blocked(...ranges: readonly string[]): BlockList {
  const block = new BlockList();
  for (const range of ranges) {
    const [net = "", length] = range.split("/");
    block.addSubnet(net, Number(length), netFamilyOf(net));
  }
  return block;
}

/** Kubelets write the addresses of nodes and pods: one that an attacker controls must not choose what the operator reaches. */
function isProbeable(host: string): boolean {
  return isIp(host) && !NO_HOSTS.check(host, netFamilyOf(host));
}

/** `undefined`: there is no such address, or it is none of a host, so nothing can be probed. */
export function targetOf(
  check: HealthCheck,
  { name, addresses }: Pick<NodeFacts, "name" | "addresses">,
  podAddress: PodAddresses,
): ProbeTarget | undefined {
  const { type, port } = check;
  const wanted = check.address ?? HEALTH_CHECK_DEFAULTS.address;
  const ofNode = addresses.find((address) => address.type === wanted)?.address;
  const host = wanted === "PodIP" ? podAddress(name) : ofNode;
  if (host === undefined || !isProbeable(host)) return undefined;
  return {
    ...{ type, host, port },
    timeoutMs: (check.timeoutSeconds ?? HEALTH_CHECK_DEFAULTS.timeoutSeconds) * SECOND_MS,
    path: check.path ?? HEALTH_CHECK_DEFAULTS.path,
    expectedStatuses: check.expectedStatuses ?? [],
    insecureSkipVerify: check.insecureSkipVerify ?? false,
  };
}

export function thresholdsOf(check: HealthCheck): Thresholds {
  return {
    intervalMs: (check.intervalSeconds ?? HEALTH_CHECK_DEFAULTS.intervalSeconds) * SECOND_MS,
    failureThreshold: check.failureThreshold ?? HEALTH_CHECK_DEFAULTS.failureThreshold,
    successThreshold: check.successThreshold ?? HEALTH_CHECK_DEFAULTS.successThreshold,
  };
}
