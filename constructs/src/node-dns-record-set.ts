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
import { writeMatch } from "./private/write-match";
import { textOf, wholeSeconds, written } from "./private/written";

/** Props of a NodeDNSRecordSet. */
export interface NodeDNSRecordSetProps extends FlipopResourceProps, MatchProps {
  /** The record set. */
  readonly dnsRecord: DnsRecord;

  /**
   * Which address of a node is published: one of its status addresses, or the reserved IP that its annotation names.
   *
   * @default AddressType.EXTERNAL_IP
   */
  readonly addressType?: AddressType;

  /**
   * Families to publish.
   *
   * @default - IPv4, or the family that `addressType` fixes
   */
  readonly ipFamilies?: IpFamily[];

  /**
   * How long a holder which may recover (not ready, pod unready) keeps its address in the set. Whole seconds, a day at
   * most.
   *
   * @default Duration.seconds(0)
   */
  readonly gracePeriod?: Duration;

  /**
   * Keep: the last addresses stay when no node matches. Delete: the set goes after no node passed `nodes` for 5 minutes.
   *
   * @default EmptyPolicy.KEEP
   */
  readonly emptyPolicy?: EmptyPolicy;

  /**
   * Stops every write but status; deletion still cleans up.
   *
   * @default false
   */
  readonly paused?: boolean;
}

/**
 * A DNS record set that holds an address of every node that matches.
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
  /** The object that is synthesised; patch it where a prop is missing. */
  public readonly apiObject: ApiObject;

  constructor(scope: Construct, id: string, props: NodeDNSRecordSetProps) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "NodeDNSRecordSet",
      metadata: props.metadata,
      references: props.pods?._references ?? [],
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
