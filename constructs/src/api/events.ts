/** What an Event means and what to do about it. */
export interface EventFacts {
  readonly type: "Normal" | "Warning";
  readonly meaning: string;
  /** Empty where nothing needs doing. */
  readonly remedy: string;
}

const SAID = "Fix what the note says; the operator tries again.";

/** Events by reason: every reason that the operator writes stands here. The note names addresses, nodes and causes. */
export const EVENTS = {
  Moving: { type: "Normal", meaning: "The provider is moving an address to a node; the note says why.", remedy: "" },
  Assigned: { type: "Normal", meaning: "An address is on its node.", remedy: "" },
  TakenOver: {
    type: "Normal",
    meaning: "A pool took a listed address from a machine that is not a node of this cluster.",
    remedy: "If that was not meant, take the address out of ips.",
  },
  Created: { type: "Normal", meaning: "An address was created at the provider.", remedy: "" },
  CreationSettled: {
    type: "Normal",
    meaning:
      "The answer to a creation was lost; the operator found an address and concluded that it belongs to the resource. It never releases that address.",
    remedy: "",
  },
  Released: { type: "Normal", meaning: "A created address was released: the provider has it again.", remedy: "" },
  Forgotten: {
    type: "Normal",
    meaning: "A resource no longer counts an address among those it created; the note says why.",
    remedy: "",
  },
  FirewallCreated: { type: "Normal", meaning: "The firewall that an issuer names was created.", remedy: "" },
  FirewallChanged: {
    type: "Normal",
    meaning: "Rules or nodes of a firewall were changed; the note says which.",
    remedy: "",
  },
  RecordsChanged: { type: "Normal", meaning: "A record set was written; the note says from what to what.", remedy: "" },
  DNSReady: { type: "Normal", meaning: "A record set holds what it should again.", remedy: "" },
  LeftBehind: {
    type: "Warning",
    meaning:
      "The clean-up of a deleted resource did not end in time, or left an address that may belong to somebody else.",
    remedy: "Remove at the provider what the note lists, as far as no other party uses it.",
  },
  AssignFailed: { type: "Warning", meaning: "An address could not be assigned.", remedy: SAID },
  UnassignFailed: { type: "Warning", meaning: "An address could not be taken off its machine.", remedy: SAID },
  ReleaseFailed: { type: "Warning", meaning: "A created address could not be released.", remedy: SAID },
  CreateFailed: { type: "Warning", meaning: "An address could not be created.", remedy: SAID },
  RecordsFailed: { type: "Warning", meaning: "A record set could not be read or written.", remedy: SAID },
  FirewallFailed: { type: "Warning", meaning: "A firewall could not be read or changed.", remedy: SAID },
  CRDTooOld: {
    type: "Warning",
    meaning: "The API server dropped fields that the operator needs: no address is created, and status is cut short.",
    remedy: "Apply the CRDs of this release.",
  },
  StatusNotWritten: {
    type: "Warning",
    meaning: "The API server refused a status.",
    remedy: "Give the operator the rights of this release's roles, or fix what the note says.",
  },
  SpecNotWritten: {
    type: "Warning",
    meaning: "The API server refused to change ips; the address stays known in status.createdIPs.",
    remedy: "Give the operator the rights of this release's roles, or fix what the note says.",
  },
  AnnotationNotWritten: {
    type: "Warning",
    meaning: "The API server refused an annotation.",
    remedy: "Give the operator the rights of this release's roles: patch on nodes is needed.",
  },
  TaintNotWritten: {
    type: "Warning",
    meaning: "The API server refused the taint of an elected node.",
    remedy: "Give the operator the rights of this release's roles: patch on nodes is needed.",
  },
  FinalizerNotWritten: {
    type: "Warning",
    meaning: "The API server refused to add or remove the finalizer.",
    remedy: "Give the operator the rights of this release's roles, or fix what the note says.",
  },
} as const satisfies Readonly<Record<string, EventFacts>>;

/** Reason of an Event. */
export type EventReason = keyof typeof EVENTS;
