import type { ApiObject, Duration } from "cdk8s";
import type { Construct } from "constructs";
import type { AddressType } from "./address-type";
import type { NodeDNSRecordSetSpec } from "./api/node-dns-record-set";
import type { DnsRecord } from "./dns-record";
import type { EmptyPolicy } from "./empty-policy";
import { FlipopResource, type FlipopResourceProps } from "./flipop-resource";
import type { IpFamily } from "./ip-family";
import type { MatchProps } from "./match-props";
import { defineResource } from "./private/define-resource";
import type { Draft } from "./private/draft";
import { PART } from "./private/part";
import type { FactsOf } from "./private/props";
import { MATCH_FACTS, writeMatch } from "./private/write-match";
import { textOf, wholeSeconds, written } from "./private/written";

/** Props of a NodeDNSRecordSet. */
export interface NodeDNSRecordSetProps extends FlipopResourceProps, MatchProps {
  /** Record set in which the addresses are published. */
  readonly dnsRecord: DnsRecord;

  /**
   * Which address of a node is published. A node without such an address is omitted.
   *
   * @default AddressType.EXTERNAL_IP
   */
  readonly addressType?: AddressType;

  /**
   * Address families to publish: A records for IPv4, AAAA records for IPv6. An `addressType` for reserved IPs has only
   * one family; the other one is refused.
   *
   * @default - IPv4, or the only family of `addressType`
   */
  readonly ipFamilies?: IpFamily[];

  /**
   * Grace period: how long a node that may recover (node not ready, pod unready or absent) keeps its address in the
   * record set. Any other refusal, such as a cordon, ends the grace period at once. Whole seconds, 0 to a day.
   *
   * @default Duration.seconds(0)
   */
  readonly gracePeriod?: Duration;

  /**
   * When the record set may become empty: never, or after no node has had the labels of `nodes` for 5 minutes.
   *
   * @default EmptyPolicy.KEEP
   */
  readonly emptyPolicy?: EmptyPolicy;

  /**
   * Whether the resource is paused: the operator writes only its status, and the resource keeps its claims. Deletion
   * still cleans up.
   *
   * @default false
   */
  readonly paused?: boolean;
}

const FACTS: FactsOf<NodeDNSRecordSetProps> = {
  ...MATCH_FACTS,
  dnsRecord: { fields: ["dnsRecordSet"], part: PART.dnsRecord, required: true },
  addressType: { fields: ["addressType"] },
  ipFamilies: { fields: ["ipFamilies"], list: true },
  gracePeriod: { fields: ["gracePeriodSeconds"], part: PART.duration },
  emptyPolicy: { fields: ["emptyPolicy"] },
  paused: { fields: ["paused"] },
};

/**
 * A DNS record set with an address of every node that matches.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { AddressType, DnsRecord, IpFamily, NodeDNSRecordSet, NodeMatch } from "cdk8s-flipop";
 *
 * const app = new App();
 * const chart = new Chart(app, "dns", { namespace: "dns" });
 *
 * new NodeDNSRecordSet(chart, "nodes", {
 *   metadata: { name: "nodes" },
 *   dnsRecord: DnsRecord.cloudflare("nodes.example.com", "023e105f4ecef8ad9ca31a8372d0c353"),
 *   addressType: AddressType.EXTERNAL_IP,
 *   ipFamilies: [IpFamily.IPV4, IpFamily.IPV6],
 *   nodes: NodeMatch.labels({ "example.com/public": "true" }),
 * });
 * app.synth();
 */
export class NodeDNSRecordSet extends FlipopResource {
  /**
   * Facts about the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  constructor(scope: Construct, id: string, props: NodeDNSRecordSetProps) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "NodeDNSRecordSet",
      props,
      facts: FACTS,
      write: (draft) => writeSpec(props, draft),
    });
  }
}

function writeSpec(props: NodeDNSRecordSetProps, draft: Draft): NodeDNSRecordSetSpec {
  return written({
    dnsRecordSet: props.dnsRecord._write(draft.at("dnsRecord")),
    addressType: textOf(props.addressType),
    ipFamilies: props.ipFamilies?.map((family) => textOf(family)),
    gracePeriodSeconds: wholeSeconds(props.gracePeriod, draft.at("gracePeriod")),
    emptyPolicy: textOf(props.emptyPolicy),
    match: writeMatch(props, draft),
    paused: props.paused,
  });
}
