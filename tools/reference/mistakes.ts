import { allProviders, type ProviderService, type Reason, type RefusalReason } from "cdk8s-flipop/api";

/** Something that people get wrong, or that goes wrong around them. */
export interface Mistake {
  readonly what: string;
  /** What the resource or its nodes then say; absent: it is served. */
  readonly shows?: Reason | RefusalReason;
  readonly remedy: string;
}

/** In the order of a resource's life: its spec, its account, its nodes, and what changes under way. */
export const MISTAKES: readonly Mistake[] = [
  {
    what: "A provider that the operator has no token for",
    shows: "UnknownProvider",
    remedy: "Correct `provider`, or give the operator that provider's token; the message lists those that are set up.",
  },
  {
    what: "A provider that has no addresses, or none of the family asked for",
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
    what: "A selector that can't be parsed",
    shows: "Invalid",
    remedy: "Write requirements such as `app=web`, `tier in (a,b)`, `!spot`, joined by commas.",
  },
  {
    what: "A record set without `zone` or `recordName`",
    shows: "Invalid",
    remedy: "Set both: `zone` is the domain (or Cloudflare's zone id), `recordName` is `@` for the domain itself.",
  },
  {
    what: "Text in `ips` that is no address of the pool's family",
    shows: "Invalid",
    remedy: "Correct or remove it; the other addresses are served meanwhile.",
  },
  { what: "An address twice in `ips`", shows: "DuplicateAddress", remedy: "Remove one; it counts once." },
  {
    what: "An address that the account does not own",
    shows: "AddressNotFound",
    remedy: "Correct `ips`, or use the token of the account that owns it.",
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
    what: "A CNAME, or other records, of the record set's name",
    shows: "Invalid",
    remedy: "Remove the record that the message names, or choose another `recordName`.",
  },
  {
    what: "A token that is wrong, lacks a scope, or expires",
    shows: "Unauthorized",
    remedy:
      "Renew it in the Secret; a token from a file (`..._FILE`) is read again by itself, one in a variable needs a restart.",
  },
  {
    what: "The account's quota of addresses is used up",
    shows: "QuotaExceeded",
    remedy: "Release addresses that nobody uses, lower `desiredIPs`, or ask the provider for more.",
  },
  {
    what: "The same address or DNS name in two resources",
    shows: "ClaimedByOther",
    remedy: "Remove it from one of the two; meanwhile the one that created it, serves it or is older keeps it.",
  },
  {
    what: "Two installations, or a person, writing the same thing",
    shows: "ForeignWriter",
    remedy: "Stop the other writer; the operator tries every 10 minutes.",
  },
  {
    what: "A node without `spec.providerID`",
    shows: "NoProviderID",
    remedy: "Wait for the cloud controller manager, or look at its log.",
  },
  {
    what: "A node of another cloud",
    shows: "ForeignProviderID",
    remedy: "Exclude it by `match.nodeLabel`, or use the provider of its cloud.",
  },
  {
    what: "Two nodes with one providerID",
    shows: "DuplicateProviderID",
    remedy: "Delete the Node object that has no kubelet any more.",
  },
  {
    what: "A pool edited while an address moves",
    shows: "MatchEdited",
    remedy: "Nothing: the move under way ends, then the new spec is planned.",
  },
  {
    what: "A selector that matches very many pods",
    remedy: "Nothing: a pod event costs the work of its node. `podNamespace` makes the watch smaller.",
  },
  {
    what: "The clock of the operator's node jumps",
    remedy:
      "Nothing: leadership and queues use a clock that never jumps. A grace period, cool-off or retry under way may end early or late, once.",
  },
  {
    what: "CRDs of the Go operator or of an older release",
    shows: "CRDTooOld",
    remedy: "Apply the CRDs of this release; until then nothing is created, and the rest works.",
  },
];

/** The providers that serve this, as code, joined by "or". */
function names(service: ProviderService): string {
  const serving = allProviders().filter(({ services }) => services.includes(service));
  return serving.map(({ name }) => `\`${name}\``).join(" or ");
}
