import type { ReasonFacts } from "./reason-facts";

/** Reasons of records that are in place, and that the author of the resource may not have meant so. */
export const RECORD_REMARKS = {
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
  PrivateAddresses: {
    meaning: "The name holds only addresses of private networks, which the internet does not reach.",
    remedy: "If clients outside of these networks use the name, publish another addressType.",
  },
} as const satisfies Readonly<Record<string, ReasonFacts>>;
