/** Events of what the operator did, and of what it could not do. */

import { Annotation, type EventReason, type Reason, type RetainedAddress } from "cdk8s-flipop/api";
import type { RecordStep } from "../providers/types.js";
import { listed, listedClauses, sameTexts } from "../values.js";
import { WHYS } from "./action-reasons.js";
import { firewallEvents } from "./firewalls.js";
import { type EventMessage, event, FIX, type Problem, topic } from "./message.js";
import { recordEvents } from "./records.js";

interface Why {
  readonly why: string;
}

interface Address extends Why {
  readonly ip: string;
}

interface CreationEnd extends Why {
  readonly result: { readonly created?: { readonly ip: string } };
  readonly stray?: string;
}

export interface RecordChange {
  readonly fqdn: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly steps?: readonly RecordStep[];
}

/** Each such as 30426/TCP. */
interface PortsChange {
  readonly now: readonly string[];
  readonly formerly: readonly string[];
}

/** An Event's note holds 1,024 bytes. */
const LISTED = 12;
const MOVE =
  "203.0.113.7 moves from node-3 (NodeNotReady for 12 s, grace 10 s over) to node-9 (youngest of 4 candidates)";

/** Of records that stay, only the TTL changes. */
export function changeText({ fqdn, before, after, steps = [] }: RecordChange): string {
  const [step] = steps;
  if (before.length > 0 && sameTexts(before, after) && step?.do === "update")
    return `${fqdn}: ${namesOf(after)}, now with TTL ${step.ttl}`;
  // A record that somebody has written since the last reading may still be there.
  if (after.length === 0) return `${fqdn}: the operator deleted ${namesOf(before)}`;
  return `${fqdn}: ${namesOf(before)} -> ${namesOf(after)}`;
}

function namesOf(values: readonly string[]): string {
  return values.length === 0 ? "nothing" : listed(values, LISTED);
}

interface Retained {
  readonly ips: readonly string[];
  /** Those of them that a machine holds. */
  readonly held: readonly string[];
  readonly field: "ips" | "routedIP";
}

function stayText(held: readonly string[], ips: readonly string[]): string {
  const all = held.length === ips.length;
  if (ips.length === 1) return "its node keeps it, and has no room for another one meanwhile";
  return `${all ? "their nodes keep them" : `the nodes of ${namesOf(held)} keep them`}, and have no room for others meanwhile`;
}

interface Created extends Why {
  readonly ip?: string | undefined;
  /** Others, of one namespace, that it could have had instead. */
  readonly retained?: readonly RetainedAddress[] | undefined;
  /** Others of the account and region that no resource has, such as those of a pool that was deleted. */
  readonly unlisted?: readonly string[];
}

function unlistedText(ips: readonly string[]): string {
  if (ips.length === 0) return "";
  return `; no resource of this cluster has ${namesOf(ips)}, which the account has, too: to use ${ips.length === 1 ? "it" : "one"} instead, write it in ips in place of the new one`;
}

/** Empty: there are none. @param retained of one namespace */
export function retainedText(retained: readonly RetainedAddress[]): readonly string[] {
  const [first, ...more] = retained;
  if (first === undefined) return [];
  const ips = namesOf(retained.map(({ ip }) => ip));
  const [addresses, one] = more.length === 0 ? [`address ${ips}`, "it"] : [`addresses ${ips}`, "one of them"];
  return [`namespace ${first.namespace} also has the retained ${addresses}: set routedIP to use ${one}`];
}

export const eventMessages = topic("events", {
  moving: event({
    reason: "Moving",
    action: "Assign",
    text: ({ why }: Why) => why,
    example: { why: MOVE },
  }),
  assigned: event({
    reason: "Assigned",
    action: "Assign",
    text: ({ why }: Why) => why,
    example: { why: MOVE },
  }),
  movedByJob: event({
    reason: "Assigned",
    action: "Assign",
    text: () => "a Job of the class has moved the address",
  }),
  arrived: event({
    reason: "Assigned",
    action: "Assign",
    text: ({ ip, node }: { readonly ip: string; readonly node: string }) => `${ip} is on ${node}`,
    example: { ip: "203.0.113.7", node: "node-9" },
  }),
  /** `why` names the machine, and that it is no node of this cluster. */
  takenOver: event({
    reason: "TakenOver",
    action: "Assign",
    text: ({ ip, why }: Address) =>
      `${why}${FIX}if that machine needs ${ip}, remove it from ips, then have the owner of the account assign it to that machine`,
    example: {
      ip: "203.0.113.7",
      why: "203.0.113.7 moves from digitalocean://12 (no node of this cluster) to node-9 (youngest of 4 candidates)",
    },
  }),
  created: event({
    reason: "Created",
    action: "Create",
    text: ({ ip = "an address", why, retained = [], unlisted = [] }: Created) =>
      [`${ip} was created: ${why}`, ...retainedText(retained)].join("; ") + unlistedText(unlisted),
    example: {
      ...{ ip: "203.0.113.7", why: WHYS.noAddressNamed },
      retained: [{ ip: "203.0.113.8", namespace: "voice" }],
    },
  }),
  creationSettled: event({
    reason: "CreationSettled",
    action: "Create",
    text: ({ ip, why }: Address) =>
      `${ip} counts as created by this resource, because ${why}; no answer of the provider confirms the creation, and so the operator never releases the address; release it at the provider when nothing needs it`,
    example: { ip: "203.0.113.7", why: WHYS.onItsNode },
  }),
  creationLeft: event({
    reason: "CreateFailed",
    action: "Create",
    text: ({ ip }: Pick<Address, "ip">) =>
      `a creation without an answer may have made ${ip}, which no resource uses and which was never on a machine; after an hour in doubt the operator creates another address, and never releases this one; if nothing else needs it, release it at the provider: flipop orphans lists it`,
    example: { ip: "203.0.113.7" },
  }),
  released: event({
    reason: "Released",
    action: "Release",
    text: ({ ip, why }: Address) => `${ip} was released: ${why}`,
    example: { ip: "203.0.113.7", why: WHYS.unwanted },
  }),
  releasedUnanswered: event({
    reason: "Released",
    action: "Release",
    text: ({ ip }: Pick<Address, "ip">) =>
      `${ip} was released: the account does not have it any more, although no answer to a release confirmed it`,
    example: { ip: "203.0.113.7" },
  }),
  retained: event({
    reason: "Retained",
    action: "Retain",
    text: ({ ips, held, field }: Retained) => {
      const value =
        field === "ips" ? `ips: [${namesOf(ips)}] of a FloatingIPPool` : `routedIP: ${namesOf(ips)} of a RoutedIP`;
      const where = held.length === 0 ? "" : `; ${stayText(held, ips)}`;
      return `${namesOf(ips)} ${ips.length === 1 ? "stays" : "stay"} in the account${where}: to use ${ips.length === 1 ? "it" : "them"} again, write ${value}; flipop orphans lists and releases what no resource uses`;
    },
    example: { ips: ["203.0.113.7"], held: ["203.0.113.7"], field: "ips" },
  }),
  ...recordEvents,
  forgotten: event({
    reason: "Forgotten",
    action: "Forget",
    text: ({ ips }: { readonly ips: readonly string[] }) => {
      const counts = ips.length === 1 ? "it no longer counts" : "they no longer count";
      return `${namesOf(ips)}: annotation ${Annotation.createdIps} names what the provider does not have; ${counts} as created by this resource`;
    },
    example: { ips: ["203.0.113.7"] },
  }),
  vanished: event({
    reason: "Forgotten",
    action: "Forget",
    text: ({ ip }: Pick<Address, "ip">) =>
      `${ip} does not exist any more, and the resource does not need it: the operator removes its entries`,
    example: { ip: "203.0.113.7" },
  }),
  disowned: event({
    reason: "Forgotten",
    action: "Forget",
    text: ({ why }: Why) => why,
    example: { why: WHYS.replaced("203.0.113.7", "203.0.113.8") },
  }),
  ...firewallEvents,
  /** Without the name of the Service: the former ports may be those of another one, which the spec named before. */
  portsChanged: event({
    reason: "PortsChanged",
    action: "Observe",
    text: ({ now, formerly }: PortsChange) =>
      `clients reach the Service of the RoutedIP at ${namesOf(now)} now, formerly at ${namesOf(formerly)}`,
    example: { now: ["30426/TCP"], formerly: ["31443/TCP"] },
  }),
  recordsChanged: event({
    reason: "RecordsChanged",
    action: "ChangeRecords",
    text: ({ cause = "", ...change }: RecordChange & { readonly cause?: string | undefined }) =>
      `${changeText(change)}${cause === "" ? "" : ` (${cause})`}`,
    example: { fqdn: "www.example.com", before: ["203.0.113.7"], after: ["203.0.113.8"] },
  }),
  /** Not at a name that the operator has written before. */
  recordsReplaced: event({
    reason: "RecordsReplaced",
    action: "ChangeRecords",
    text: ({ replaced, ...change }: RecordChange & { readonly replaced: readonly string[] }) =>
      `${changeText(change)}: the status did not show that the operator wrote ${namesOf(replaced)}${FIX}if the name is to keep that, set another dnsRecordSet.recordName, then have the owner of the DNS account restore the records of ${change.fqdn}`,
    example: {
      ...{ fqdn: "www.example.com", before: ["198.51.100.7"], after: ["203.0.113.8"] },
      replaced: ["198.51.100.7"],
    },
  }),
  recordsReady: event({
    reason: "DNSReady",
    action: "Observe",
    text: ({ message }: Pick<Problem, "message">) => message,
    example: { message: "nodes holds 3 addresses" },
  }),
  statusDropped: event({
    reason: "CRDTooOld",
    action: "WriteStatus",
    text: ({ dropped }: { readonly dropped: readonly string[] }) =>
      `the API server drops fields of the status: ${listed(dropped)}; apply the CRDs of this release; the operator still writes the records`,
    example: { dropped: ["dns.deletionPolicy", "recordsCachedUntil"] },
  }),
  cleanupAbandoned: event({
    reason: "CleanupAbandoned",
    action: "CleanUp",
    text: ({ why, left }: Why & { readonly left: readonly string[] }) =>
      `${why}; left behind, remove by hand: ${listedClauses(left)}`,
    example: { why: WHYS.cleanupLate, left: ["address 203.0.113.7"] },
  }),
});

/** The end of a creation without an answer is known. `undefined`: it made nothing. */
export function creationEnded({ result, why, stray }: CreationEnd): EventMessage | undefined {
  if (stray !== undefined) return eventMessages.creationLeft({ ip: stray });
  return result.created && eventMessages.creationSettled({ ip: result.created.ip, why });
}

/** A cleanup was given up. `undefined`: nothing stays behind. */
export function abandoned(left: readonly string[], why: string): EventMessage | undefined {
  return left.length === 0 ? undefined : eventMessages.cleanupAbandoned({ why, left });
}

/** A copy of the created addresses was put right. `undefined`: nothing left it that a person should know of. */
export function forgotten(ips: readonly string[] = []): EventMessage | undefined {
  return ips.length === 0 ? undefined : eventMessages.forgotten({ ips });
}

/** Reason and action of the Event of a failed action. */
export type FailureNames = readonly [reason: EventReason | Reason, action: string];

/** An action failed. @param what the address or the object, if the problem does not name it */
export function failedEvent([reason, action]: FailureNames, problem: Problem, what?: string): EventMessage {
  const note = what === undefined ? problem.message : `${what}: ${problem.message}`;
  return { type: "Warning", reason: problem.reason === "CRDTooOld" ? problem.reason : reason, action, note };
}

/** A condition has turned bad: the Event has its reason and its message. @param type of the condition, to be named */
export function conditionEvent(
  { reason, message }: Pick<Problem, "message"> & { readonly reason: string },
  action: string,
  type?: string,
): EventMessage {
  return { type: "Warning", reason, action, note: type === undefined ? message : `${type}: ${message}` };
}
