import type { ReasonFacts } from "./reason-facts";

/** Reasons of addresses and records that are in place, and that the author of the resource may not have meant so. */
export const REMARKS = {
  HolderCordoned: {
    meaning: "An address stays on a cordoned node, because match.tolerations tolerates the taint of a cordon.",
    remedy: "If the address is to leave cordoned nodes, tolerate in match.tolerations only taints named by key.",
  },
  NoOpenPort: {
    meaning:
      "Pods on the node of an address have no hostPort, though pods on other nodes have one; or they open it with a hostIP that only the node itself reaches, such as 127.0.0.1.",
    remedy: "Give all pods the hostPort, without hostIP. Nothing, if clients use a NodePort of a Service.",
  },
  UnlistedAddresses: {
    meaning:
      "The operator created addresses for the pool, and no resource has others of the account on nodes that match: a deleted pool may have left them, such as one of the same name.",
    remedy:
      "If clients know those, write them in ips in place of the created ones, as the message shows. If nothing needs them, release them (flipop orphans).",
  },
  UnlistedPorts: {
    meaning: "Pods open a port by hostPort that the Service does not list, so no firewall rule is for it.",
    remedy: "If clients are to reach the port, add it to the ports of the Service. Nothing otherwise.",
  },
  NoNodeInRegion: {
    meaning:
      "All nodes that match are in other regions than the pool's, so an address that the operator created could be on none of them.",
    remedy: "Set region to the region of the nodes. The addresses that the pool has stay.",
  },
  SeveralNamespaces: {
    meaning: "Pods of several namespaces make nodes match, because match.podNamespace is not set.",
    remedy: "If only those of one namespace are meant, set match.podNamespace to it.",
  },
  SeveralWorkloads: {
    meaning: "Pods of several workloads of a namespace, such as two Deployments, make nodes match.",
    remedy:
      "Nothing, if all of them are meant, such as a blue and a green Deployment; otherwise give the pods of one a label of their own, and select it in match.podLabel.",
  },
  EndpointWithoutPod: {
    meaning:
      "The address is on a node where no pod of the Service serves: an EndpointSlice names an endpoint there that is no pod, while pods serve elsewhere.",
    remedy: "If no program outside of Kubernetes answers there, delete the EndpointSlice that the message names.",
  },
  TTLRaised: {
    meaning: "The provider does not support a TTL this short; the operator uses the shortest supported one.",
    remedy: "Set ttl to the number that the message names, or more.",
  },
  DelegatedName: {
    meaning:
      "The zone has NS records of a name above that of the record set, so resolvers ask another zone, and never see the records.",
    remedy: "Set zone to the one that the message names; the full name in recordName stays right.",
  },
  LongTTL: {
    meaning:
      "dnsRecordSet sets no ttl, and the TTL of the existing records, which a NodeDNSRecordSet keeps, is longer than an hour: so long may resolvers return an address that the operator has removed.",
    remedy: "Set dnsRecordSet.ttl, for example to 60.",
  },
  Proxied: {
    meaning: "The name is proxied at Cloudflare: it resolves to Cloudflare's addresses, and only HTTP passes.",
    remedy: "If that is not intended, set the records to DNS only at Cloudflare.",
  },
  UnmanagedRecords: {
    meaning: "The name also has records of the other address family, which no resource manages.",
    remedy: "If they are not meant, delete them at the provider.",
  },
  UnreadyPods: {
    meaning: "Pods have not been ready for 10 minutes, so their nodes are left out of the name.",
    remedy:
      "Repair the pod that the message names. Nothing, if pods are not ready on purpose, such as those that wait to lead.",
  },
  TaintedNodes: {
    meaning:
      "Nodes that have all else that match asks for have a taint that it does not tolerate, also if only PreferNoSchedule, so they are left out of the name.",
    remedy: "If these nodes are meant, tolerate the taint in match.tolerations, or remove it from the nodes.",
  },
  SharedAddress: {
    meaning: "Several nodes name the same address, so the name holds fewer addresses than nodes.",
    remedy:
      "If the nodes are not meant to share it, such as behind one NAT, correct what sets their addresses: the cloud controller manager, or the kubelet.",
  },
  MissingFamily: {
    meaning:
      "No node that matches has an address of a family that spec.ipFamilies asks for, so the name has no record of it.",
    remedy: "Give the nodes such addresses, or remove the family from spec.ipFamilies.",
  },
  PrivateAddresses: {
    meaning: "The name holds only addresses of private networks, which the internet does not reach.",
    remedy: "If clients outside of these networks use the name, publish another addressType.",
  },
} as const satisfies Readonly<Record<string, ReasonFacts>>;
