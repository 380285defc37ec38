/** Meaning of an Event, and what to do about it. */
export interface EventFacts {
  readonly type: "Normal" | "Warning";
  readonly meaning: string;
  /** Empty if there is nothing to do. */
  readonly remedy: string;
}

const FIX_NOTE = "Fix the cause that the note names; the operator tries again.";

/** Events by reason; the operator writes no others. The note names addresses, nodes and causes. */
export const EVENTS = {
  Moving: {
    type: "Normal",
    meaning:
      "The provider is moving an address to a node, or assigns it for the first time; the note gives the reason.",
    remedy: "",
  },
  Assigned: { type: "Normal", meaning: "An address is now on its node.", remedy: "" },
  TakenOver: {
    type: "Warning",
    meaning: "A pool took a listed address from a machine that is not a node of this cluster.",
    remedy: "If that machine needs the address, remove it from ips, and assign it there: the note names the machine.",
  },
  Created: { type: "Normal", meaning: "The operator created an address at the provider.", remedy: "" },
  CreationSettled: {
    type: "Normal",
    meaning:
      "The response to an address creation was lost; the operator found an address and concluded that it belongs to the resource. The operator never releases that address.",
    remedy: "When the resource no longer needs the address, release it at the provider.",
  },
  Released: {
    type: "Normal",
    meaning: "The operator released a created address: it returned to the provider.",
    remedy: "",
  },
  Retained: {
    type: "Normal",
    meaning: "A resource is gone, and its addresses stay in the account, where the provider may bill them.",
    remedy:
      "The note says what to write to use the addresses again. flipop orphans lists and releases those that no resource knows.",
  },
  RecordsRetained: {
    type: "Normal",
    meaning:
      "A resource is gone, or names another record set, and its former name keeps records at the provider: deletionPolicy is not Delete, or somebody else wrote these records.",
    remedy:
      "Compare the records at the provider with the note, and delete those that nothing uses: an address that the account releases may become somebody else's.",
  },
  Forgotten: {
    type: "Normal",
    meaning: "A resource no longer counts an address among those that it created; the note gives the reason.",
    remedy: "",
  },
  FirewallCreated: { type: "Normal", meaning: "The operator created the firewall that an issuer names.", remedy: "" },
  FirewallChanged: {
    type: "Normal",
    meaning:
      "The operator changed rules or nodes of a firewall, or deleted it; the note says which, and which of them somebody else had removed.",
    remedy: "",
  },
  PortsChanged: {
    type: "Normal",
    meaning:
      "Clients reach the Service of a RoutedIP at other ports than before, such as other NodePorts after somebody created it again; the note shows both.",
    remedy: "If clients need the former NodePorts, set nodePort in the ports of the Service.",
  },
  RecordsChanged: {
    type: "Normal",
    meaning: "The operator changed a record set; the note shows the old and the new addresses.",
    remedy: "",
  },
  RecordsReplaced: {
    type: "Warning",
    meaning:
      "The first write of a resource on a name replaced A or AAAA records of which no status shows that the operator wrote them.",
    remedy:
      "If something else needs the former records, give the resource another name, and write them again: the note lists them.",
  },
  DNSReady: { type: "Normal", meaning: "A record set has the desired content again.", remedy: "" },
  CleanupAbandoned: {
    type: "Warning",
    meaning:
      "The cleanup of a deleted resource did not end in time, or somebody removed its finalizer before, or it kept an address that something else may own; or the provider has not shown the zone of a former DNS name for an hour, so that the operator cannot delete its records.",
    remedy: "Remove the items in the note at the provider, unless something else uses them.",
  },
  AssignFailed: { type: "Warning", meaning: "The operator could not assign an address.", remedy: FIX_NOTE },
  UnassignFailed: {
    type: "Warning",
    meaning: "The operator could not unassign an address from its machine.",
    remedy: FIX_NOTE,
  },
  ReleaseFailed: { type: "Warning", meaning: "The operator could not release a created address.", remedy: FIX_NOTE },
  CreateFailed: { type: "Warning", meaning: "The operator could not create an address.", remedy: FIX_NOTE },
  RecordsFailed: { type: "Warning", meaning: "The operator could not read or write a record set.", remedy: FIX_NOTE },
  FirewallFailed: { type: "Warning", meaning: "The operator could not read or change a firewall.", remedy: FIX_NOTE },
  CRDTooOld: {
    type: "Warning",
    meaning: "The API server dropped fields of the status. If the note says so, the operator creates no addresses.",
    remedy: "Apply the CRDs of this release.",
  },
  StatusNotWritten: {
    type: "Warning",
    meaning: "The API server rejected a status.",
    remedy: "Give the operator the permissions of this release's roles, or fix the cause that the note names.",
  },
  SpecNotWritten: {
    type: "Warning",
    meaning: "The API server rejected a change of ips; status.createdIPs still lists the address.",
    remedy: "Give the operator the permissions of this release's roles, or fix the cause that the note names.",
  },
  AnnotationNotWritten: {
    type: "Warning",
    meaning: "The API server rejected an annotation.",
    remedy: "Give the operator the permissions of this release's roles, which include patch on nodes.",
  },
  LabelNotWritten: {
    type: "Warning",
    meaning:
      "The API server rejected a change of the holder label. While one node cannot lose the label, no other gets it.",
    remedy:
      "Give the operator the permissions and the admission policy of this release, or fix the cause that the note names.",
  },
  TaintNotWritten: {
    type: "Warning",
    meaning: "The API server rejected a taint: of an elected node, or of nodes that wait for an address.",
    remedy: "Give the operator the permissions of this release's roles, which include patch on nodes.",
  },
  FinalizerNotWritten: {
    type: "Warning",
    meaning: "The API server rejected a change of the finalizer.",
    remedy: "Give the operator the permissions of this release's roles, or fix the cause that the note names.",
  },
} as const satisfies Readonly<Record<string, EventFacts>>;

/** Reason of an Event. */
export type EventReason = keyof typeof EVENTS;
