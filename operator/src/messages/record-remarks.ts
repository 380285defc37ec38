/** Record sets that are in place: where they are, and what their users may not expect. */

import { duration, timeText } from "../clock.js";
import { DEFAULT_TTL_SECONDS } from "../providers/diff.js";
import { SECOND_MS } from "../timings.js";
import { listed, listedClauses } from "../values.js";
import { FIX, type Problem, partsOf, problem, topic } from "./message.js";
import { TOLERATE_TAINT } from "./nodes/refused-nodes.js";
import { addressRemedy, EXAMPLE_CONTENT, holds, LISTED, PUBLISHED, publishedText, typesText } from "./records.js";

/** What users of the name may not expect, although the records are in place. */
interface Remarked {
  readonly cause: Problem;
  readonly provider: string;
  /** Addresses of the name that no resource manages. */
  readonly others: readonly string[];
}

function alsoHas({ others }: Remarked): string {
  if (others.length === 0) return "";
  return `; the name also has ${typesText(others)} ${listed(others, LISTED)}, which this resource does not manage`;
}

function deletion({ others, provider }: Remarked): string {
  const [are, them] = others.length === 1 ? ["it is", "it"] : ["they are", "them"];
  return `if ${are} not meant, have the owner of the DNS account delete ${them} at ${provider}`;
}

/** Behind another remedy. */
const andDeletion = (remarked: Remarked) => (remarked.others.length === 0 ? "" : `${FIX}${deletion(remarked)}`);

const HELD: Problem = { reason: "Observed", message: holds(EXAMPLE_CONTENT) };

interface AtProvider {
  readonly cause: Problem;
  readonly provider: string;
  /** Absent: it follows the first label of the name. */
  readonly zone?: string;
}

interface Delegated {
  readonly cause: Problem;
  /** Full. */
  readonly name: string;
  /** As the spec has it. */
  readonly recordName: string;
  readonly provider: string;
  /** That has the records, and NS records of `delegated`. */
  readonly zone: string;
  readonly delegated: string;
}

function delegatedRemedy({ name, recordName, provider, zone, delegated }: Delegated): string {
  const rename = recordName.toLowerCase().replace(/\.$/, "") === name ? "" : ` and recordName to ${name}`;
  return `set dnsRecordSet.zone to ${delegated}${rename}; or, if the delegation is not meant, have the owner of the DNS account delete the NS records of ${delegated} in zone ${zone} at ${provider}`;
}

interface FormerName {
  /** Why the new name is not written. */
  readonly cause: Problem;
  /** Full. */
  readonly former: string;
  /** Addresses that it holds and that are not to be published. */
  readonly left: readonly string[];
  /** The operator cannot change it either. */
  readonly stuck: boolean;
}

function formerText({ former, left, stuck }: FormerName): string {
  if (left.length === 0 && stuck) return `meanwhile, the operator cannot change the former name ${former} either`;
  if (left.length === 0) return `meanwhile, the operator keeps the former name ${former} up to date`;
  const why = stuck ? "the operator cannot change it either" : "no address is active";
  return `meanwhile, the former name ${former} still holds ${listed(left, LISTED)}, because ${why}`;
}

interface LongUnready {
  /** What the record set holds. */
  readonly cause: Problem;
  readonly node: string;
  /** `namespace/name`. */
  readonly pod: string;
  /** ms since the epoch. */
  readonly since: number;
  readonly repair: string;
}

interface PrivateOnly {
  /** What the record set holds. */
  readonly cause: Problem;
  readonly addressType: string;
}

interface Shared {
  /** What the record set holds. */
  readonly cause: Problem;
  readonly shared: readonly { readonly address: string; readonly nodes: readonly string[] }[];
  readonly addressType: string;
}

interface MissingFamily {
  /** What the record set holds. */
  readonly cause: Problem;
  readonly family: string;
  readonly type: string;
  /** Such as `IPv6 address in ExternalIP`. */
  readonly wanted: string;
}

function publicRemedy(addressType: string): string {
  return addressType === "InternalIP"
    ? "set spec.addressType to ExternalIP"
    : "set another addressType, or have the cluster's administrator give the nodes public addresses";
}

export const recordRemarks = topic("recordRemarks", {
  at: problem({
    reason: ({ cause }: AtProvider) => cause.reason,
    by: "cause",
    text: ({ cause, provider, zone }: AtProvider) =>
      `${cause.message} (at ${provider}${zone === undefined ? "" : `, in zone ${zone}`})`,
    remedyInText: true,
    example: { cause: HELD, provider: "cloudflare" },
  }),
  delegated: problem({
    reason: "DelegatedName",
    by: "author",
    text: ({ cause, zone, delegated }: Delegated) =>
      `${cause.message}; they are in zone ${zone}, which has NS records of ${delegated}, so resolvers ask another zone and never see them`,
    remedy: delegatedRemedy,
    example: {
      cause: { reason: "Observed", message: holds({ ...EXAMPLE_CONTENT, name: "api.eu.example.com" }) },
      ...{ name: "api.eu.example.com", recordName: "api.eu", provider: "digitalocean" },
      ...{ zone: "example.com", delegated: "eu.example.com" },
    },
  }),
  ttlRaised: problem({
    reason: "TTLRaised",
    by: "author",
    text: ({ asked, used, ...remarked }: Remarked & { readonly asked: number; readonly used: number }) =>
      `${remarked.cause.message}; the provider allows no TTL of ${asked}, so the operator writes ${used}${alsoHas(remarked)}`,
    remedy: ({ used, ...remarked }) => `set ttl to ${used} or more${andDeletion(remarked)}`,
    example: { ...{ cause: HELD, provider: "cloudflare", others: [] }, asked: 10, used: 60 },
  }),
  proxied: problem({
    reason: "Proxied",
    by: "account",
    text: (remarked: Remarked) =>
      `${remarked.cause.message}; the name is proxied at Cloudflare: it resolves to Cloudflare's addresses, and only HTTP passes${alsoHas(remarked)}`,
    remedy: (remarked) =>
      `if that is not intended, have the owner of the DNS account set the records to DNS only at Cloudflare${andDeletion(remarked)}`,
    example: { cause: HELD, provider: "cloudflare", others: [] },
  }),
  longTtl: problem({
    reason: "LongTTL",
    by: "author",
    text: ({ seconds, ...remarked }: Remarked & { readonly seconds: number }) =>
      `${remarked.cause.message}; dnsRecordSet sets no ttl, so the operator keeps that of the records, ${seconds} s: resolvers may return an address for ${duration(seconds * SECOND_MS)} after the operator removes it${alsoHas(remarked)}`,
    remedy: (remarked) => `set dnsRecordSet.ttl, for example to ${DEFAULT_TTL_SECONDS}${andDeletion(remarked)}`,
    example: { ...{ cause: HELD, provider: "cloudflare", others: [] }, seconds: 86_400 },
  }),
  unmanaged: problem({
    reason: "UnmanagedRecords",
    by: "account",
    text: (remarked: Remarked) => `${remarked.cause.message}${alsoHas(remarked)}`,
    remedy: deletion,
    example: { cause: HELD, provider: "cloudflare", others: ["2001:db8:51::20"] },
  }),
  nameCompleted: problem({
    reason: "Invalid",
    by: "author",
    text: ({ recordName, cause }: { readonly cause: Problem; readonly recordName: string; readonly name: string }) =>
      `${partsOf(cause.message)[0]}; recordName ${recordName} does not end with a dot and the name of the zone, so the operator appends both`,
    remedy: ({ recordName, name, cause }) => {
      const own = `if you mean ${recordName}, correct zone; if you mean ${name}, write that in recordName, and this warning ends`;
      return [own, ...partsOf(cause.message).slice(1)].join(FIX);
    },
    example: {
      ...{ recordName: "www.example.org", name: "www.example.org.example.com" },
      cause: { reason: "Observed", message: holds({ ...EXAMPLE_CONTENT, name: "www.example.org.example.com" }) },
    },
  }),
  unreadyPods: problem({
    reason: "UnreadyPods",
    by: "author",
    text: ({ cause, node, pod, since }: LongUnready) =>
      `${partsOf(cause.message)[0]}; pod ${pod} on ${node} is not ready since ${timeText(since)}`,
    remedy: ({ repair }) => repair,
    example: {
      ...{ cause: { reason: "Observed", message: publishedText(PUBLISHED) }, node: "game-3", pod: "game/x" },
      ...{ since: Date.parse("2026-01-01T09:00:00Z"), repair: "repair pod game/x" },
    },
  }),
  taintedNodes: problem({
    reason: "TaintedNodes",
    by: "author",
    text: ({ cause }: { readonly cause: Problem }) => partsOf(cause.message)[0],
    remedy: `if the nodes with a taint are meant, ${TOLERATE_TAINT}`,
    example: {
      cause: {
        reason: "Observed",
        message: publishedText({
          ...{ ...PUBLISHED, addressless: [] },
          leftOut: "1 Tainted (node-4: it has taint burst=true:PreferNoSchedule, not tolerated)",
        }),
      },
    },
  }),
  sharedAddresses: problem({
    reason: "SharedAddress",
    by: "administrator",
    text: ({ cause, shared, addressType }: Shared) => {
      const texts = shared.map(({ address, nodes }) => `nodes ${listed(nodes, LISTED)} all name ${address}`);
      return `${partsOf(cause.message)[0]}; ${listedClauses(texts.slice(0, LISTED))} in ${addressType}, and the name holds it once`;
    },
    remedy: ({ addressType }) =>
      `unless these nodes are meant to share it, such as behind one NAT, have the cluster's administrator correct what sets ${addressType} (the cloud controller manager, or the kubelet's --node-ip)`,
    example: {
      cause: { reason: "Observed", message: publishedText({ ...PUBLISHED, addressless: [], leftOut: "" }) },
      ...{ shared: [{ address: "203.0.113.7", nodes: ["game-1", "game-2"] }], addressType: "ExternalIP" },
    },
  }),
  missingFamily: problem({
    reason: "MissingFamily",
    by: "administrator",
    text: ({ cause, type, wanted }: MissingFamily) =>
      `${partsOf(cause.message)[0]}; no node that matches has an ${wanted}, so the name has no ${type} record`,
    remedy: ({ family, wanted }) => `${addressRemedy(wanted)}; or remove ${family} from spec.ipFamilies`,
    example: {
      cause: { reason: "Observed", message: publishedText({ ...PUBLISHED, addressless: [], leftOut: "" }) },
      ...{ family: "IPv6", type: "AAAA", wanted: "IPv6 address in ExternalIP" },
    },
  }),
  privateAddresses: problem({
    reason: ({ cause }: PrivateOnly) => (cause.reason === "Observed" ? "PrivateAddresses" : cause.reason),
    by: "author",
    text: ({ cause, addressType }: PrivateOnly) => `${partsOf(cause.message)[0]}; spec.addressType is ${addressType}`,
    remedy: ({ cause, addressType }) => [
      `if clients outside of these networks use the name, ${publicRemedy(addressType)}`,
      ...partsOf(cause.message).slice(1),
    ],
    example: {
      cause: {
        reason: "Observed",
        message: publishedText({ ...PUBLISHED, addressless: [], leftOut: "", isPrivate: true }),
      },
      addressType: "InternalIP",
    },
  }),
  formerName: problem({
    reason: ({ cause }: FormerName) => cause.reason,
    by: "cause",
    text: (name: FormerName) => `${partsOf(name.cause.message)[0]}; ${formerText(name)}`,
    remedy: ({ cause }) => partsOf(cause.message).slice(1),
    example: {
      cause: {
        reason: "ZoneNotFound",
        message: `digitalocean: read records of www.example.org: the account has no domain "example.org"${FIX}correct dnsRecordSet.zone`,
      },
      ...{ former: "www.example.com", left: ["203.0.113.7"], stuck: true },
    },
  }),
});
