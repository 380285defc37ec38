/** A record set as it is stored, made safe to read. */

import type { NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import type { Claimant } from "../../claims/claimant.js";
import type { ZoneLookUp } from "../../claims/dns-name.js";
import { nodeRecordClaims } from "../../claims/read-claims.js";
import type { KubeObject } from "../../kube/objects.js";
import type { MatchFollower } from "../../match/match-follower.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { isFields, isIdleToleration, readSpec } from "../../reconcile/read-spec.js";
import type { NodeRecordSet } from "./snapshot.js";

export const KIND = "NodeDNSRecordSet";
export const PLURAL = "nodednsrecordsets";

export interface NodeDNSMemory {
  readonly match: MatchFollower;
  /** Since when no node has had the labels, ms since the epoch. */
  noNodeSince: number | undefined;
}

export interface RecordSetObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: NodeDNSRecordSetStatus;
}

export interface ResourceRead {
  readonly resource: NodeRecordSet;
  /** No record is changed until the spec is corrected. */
  readonly problem?: Problem;
}

export function readResource({ metadata, spec, status }: RecordSetObject): ResourceRead {
  const { fields, problem } = readSpec(KIND, spec, isIdleToleration);
  const resource: NodeRecordSet = { metadata, spec: fields, status: isFields(status) ? status : {} };
  return problem === undefined ? { resource } : { resource, problem };
}

export function claimsOf({ metadata, spec, status }: NodeRecordSet, zones: ZoneLookUp): Claimant {
  const { dnsRecordSet } = spec;
  const desired = dnsRecordSet === undefined ? {} : { spec: { ...spec, dnsRecordSet } };
  return nodeRecordClaims({ metadata, status, ...desired }, zones);
}
