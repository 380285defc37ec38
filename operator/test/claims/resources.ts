/** Resources for the tests of claims. */

import type { FloatingIPPoolSpec, FloatingIPPoolStatus, RoutedIPSpec, RoutedIPStatus } from "cdk8s-flipop/api";
import type { Resource } from "../../src/claims/read-claims.js";
import type { ObjectMeta } from "../../src/kube/objects.js";

export type Pool = Resource<FloatingIPPoolSpec, FloatingIPPoolStatus>;
export type Routed = Resource<RoutedIPSpec, RoutedIPStatus>;

/** @param day of January on which it was created. */
export function meta(name: string, day = 1, annotations: Readonly<Record<string, string>> = {}): ObjectMeta {
  const creationTimestamp = `2025-01-${String(day).padStart(2, "0")}T00:00:00Z`;
  return { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp, annotations };
}

export interface PoolParts {
  readonly day?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<FloatingIPPoolSpec>;
  readonly status?: FloatingIPPoolStatus;
}

export function pool(name: string, { day, annotations, spec = {}, status = {} }: PoolParts = {}): Pool {
  return { metadata: meta(name, day, annotations), spec: { provider: "digitalocean", ...spec }, status };
}

export function routed(name: string, spec: Partial<RoutedIPSpec>, status: RoutedIPStatus = {}): Routed {
  return { metadata: meta(name), spec: { serviceRef: { serviceName: "web" }, ...spec }, status };
}
