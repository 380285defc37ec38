/** Pure: who leads. */

import { Annotation, LEASE_NAME } from "cdk8s-flipop/api";
import { duration } from "../../clock.js";
import type { Lease } from "../../kube/write/lease.js";
import { ELECTION_TIMINGS, SECOND_MS } from "../../timings.js";
import { type Finding, ok, problem, warning } from "./finding.js";

/** The Leases of all operators. */
export const LEASES = {
  path: "/apis/coordination.k8s.io/v1/leases",
  fieldSelector: `metadata.name=${LEASE_NAME}`,
};

/** Whether its holder still renews it. */
export function isHeld(lease: Lease, now: number): boolean {
  const { holderIdentity, renewTime } = lease.spec ?? {};
  return Boolean(holderIdentity) && now - Date.parse(renewTime ?? "") <= termOf(lease);
}

/** Of a Lease that names no term, the default one. */
function termOf({ spec }: Lease): number {
  const seconds = spec?.leaseDurationSeconds;
  return seconds ? seconds * SECOND_MS : ELECTION_TIMINGS.leaseMs;
}

/** @param lease `undefined`: there is none. */
export function leaseFindings(lease: Lease | undefined, namespace: string, now: number): readonly Finding[] {
  const check = "leader";
  if (lease === undefined) {
    return [problem(check, `namespace ${namespace} has no Lease`, "start the operator, or name its namespace with -n")];
  }
  const { holderIdentity, renewTime } = lease.spec ?? {};
  const ageMs = now - Date.parse(renewTime ?? "");
  const termMs = termOf(lease);
  return [leaderFinding(check, holderIdentity || "", { ageMs, termMs }), ...stopFindings(lease)];
}

function leaderFinding(check: string, holder: string, { ageMs, termMs }: { ageMs: number; termMs: number }): Finding {
  const remedy = "look at the operator's pods and their log: kubectl -n NAMESPACE get pods";
  if (holder === "") return problem(check, "no pod holds the Lease", remedy);
  if (!(ageMs <= termMs)) return problem(check, `${holder} has not renewed the Lease for ${duration(ageMs)}`, remedy);
  return ok(check, `${holder}, renewed ${duration(ageMs)} ago`);
}

function stopFindings({ metadata }: Lease): readonly Finding[] {
  const reason = metadata?.annotations?.[Annotation.stop];
  if (reason === undefined) return [];
  const text = reason === "" ? "a person has stopped the operator" : `a person has stopped the operator: ${reason}`;
  return [warning("stopped", text, "run flipop resume")];
}

/** What it means for the states of resources that no operator leads; `undefined`: one does. */
export function leaderlessText(leases: readonly Lease[], now: number): string | undefined {
  if (leases.some((lease) => isHeld(lease, now))) return undefined;
  const held = leases.filter(({ spec }) => spec?.holderIdentity);
  const ages = held.map(({ spec }) => now - Date.parse(spec?.renewTime ?? "")).filter((age) => age >= 0);
  const seen = ages.length === 0 ? "holds its Lease" : `has renewed its Lease for ${duration(Math.min(...ages))}`;
  return `no operator ${seen}, so these states may be out of date, unless one runs with --leader-elect=false: see flipop doctor`;
}
