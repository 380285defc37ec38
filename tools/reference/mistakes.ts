import { allProviders, type ProviderService, type Reason, type RefusalReason } from "cdk8s-flipop/api";

/** A common mistake or problem. */
export interface Mistake {
  readonly what: string;
  /** The reason on the resource or its nodes; absent if the resource works. */
  readonly shows?: Reason | RefusalReason;
  readonly remedy: string;
}

/** In the order of a resource's life: its spec, its account, its nodes, and later changes. */
export const MISTAKES: readonly Mistake[] = [
  {
    what: "A provider that the operator has no token for",
    shows: "UnknownProvider",
    remedy:
      "Correct `provider`, or give the operator that provider's token; the message lists the available providers.",
  },
  {
    what: "A provider without addresses, or without addresses of the required family",
    shows: "Unsupported",
    remedy: `Use a provider with addresses: ${names("addresses")}.`,
  },
  {
    what: "A DNS provider without DNS, or without a token",
    shows: "UnknownProvider",
    remedy: `Set \`dnsRecordSet.provider\` to ${names("dns")}, and give the operator a token for it.`,
  },
  {
    what: "Neither `ips` nor `desiredIPs`",
    shows: "Invalid",
    remedy: "List addresses in `ips`, or set `desiredIPs` to the number to create.",
  },
  {
    what: "An invalid selector",
    shows: "Invalid",
    remedy: "Write requirements such as `app=web`, `tier in (a,b)`, `!spot`, joined by commas.",
  },
  {
    what: "A record set without `zone` or `recordName`",
    shows: "Invalid",
    remedy: "Set both: `zone` is the domain (or Cloudflare's zone id), `recordName` is `@` for the domain itself.",
  },
  {
    what: "Text in `ips` that is not an address of the pool's family",
    shows: "Invalid",
    remedy: "Correct or remove it; the other addresses still work.",
  },
  {
    what: "An address twice in `ips`, in two spellings or stored under an older schema (the API server rejects other duplicates)",
    shows: "DuplicateAddress",
    remedy: "Remove the duplicate; the operator counts the address once.",
  },
  {
    what: "An address that the account does not own",
    shows: "AddressNotFound",
    remedy: "Correct `ips`, or use the token of the account that owns the address.",
  },
  {
    what: "A region that does not exist",
    shows: "Invalid",
    remedy: "Set `region` to a region of the provider, in its spelling, such as `nyc3`.",
  },
  {
    what: "A zone that the account does not have",
    shows: "ZoneNotFound",
    remedy: "Correct `zone`, create it at the provider, or use a token that may read it.",
  },
  {
    what: "A CNAME or NS record with the record set's name",
    shows: "RecordExists",
    remedy: "Remove the record that the message names, or choose another `recordName`.",
  },
  {
    what: "A token that is wrong, lacks a scope, or expires",
    shows: "Unauthorized",
    remedy:
      "Replace it in the Secret. The operator reads a token from a file (`..._FILE`) again by itself; a token in a variable needs a restart.",
  },
  {
    what: "The account's quota of addresses is used up",
    shows: "QuotaExceeded",
    remedy: "Release unused addresses, lower `desiredIPs`, or ask the provider for a higher quota.",
  },
  {
    what: "The same address or DNS name in two resources",
    shows: "ClaimedByOther",
    remedy:
      "Remove it from one of the two. Until then, the resource that created it, serves it or is older keeps it. A DNS name that a spec no longer contains goes to the resource that can publish there, in place.",
  },
  {
    what: "Two installations, or the operator and a person, that write the same object",
    shows: "ForeignWriter",
    remedy: "Stop the other writer; the operator tries again every 10 minutes.",
  },
  {
    what: "A node without `spec.providerID`",
    shows: "NoProviderID",
    remedy: "Wait for the cloud controller manager, or read its log.",
  },
  {
    what: "A node of another cloud",
    shows: "ForeignProviderID",
    remedy: "Exclude it with `match.nodeLabel`, or use the provider of its cloud.",
  },
  {
    what: "Two nodes with the same providerID",
    shows: "DuplicateProviderID",
    remedy: "Delete the Node object that no longer has a kubelet.",
  },
  {
    what: "A change of a pool while an address moves",
    shows: "MatchEdited",
    remedy: "Nothing: the operator finishes the move, then plans with the new spec.",
  },
  {
    what: "A selector that matches very many pods",
    remedy: "Nothing: a pod event affects only the pod's node. `podNamespace` reduces the watched pods.",
  },
  {
    what: "The clock of the operator's node jumps",
    remedy:
      "Nothing: leadership and queues use a clock that never jumps. A current grace period, cool-off or retry may end early or late, once.",
  },
  {
    what: "CRDs of the Go operator or of an older release",
    shows: "CRDTooOld",
    remedy:
      "Apply the CRDs of this release. Until then the operator creates no address for a pool or RoutedIP whose Event has this reason. Everything else works.",
  },
];

/** The providers that serve this, as code, joined by "or". */
function names(service: ProviderService): string {
  const serving = allProviders().filter(({ services }) => services.includes(service));
  return serving.map(({ name }) => `\`${name}\``).join(" or ");
}
