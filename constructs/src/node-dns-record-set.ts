import type { ApiObject, Duration } from "cdk8s";
import type { Construct } from "constructs";
import type { AddressType } from "./address-type";
import type { NodeDNSRecordSetSpec } from "./api/kinds/node-dns-record-set";
import { isObject } from "./api/schema/schema";
import type { DnsRecord } from "./dns-record";
import { FlipopResource, type FlipopResourceProps, type IFlipopResource } from "./flipop-resource";
import type { HealthCheck } from "./health-check";
import type { IpFamily } from "./ip-family";
import type { MatchProps } from "./match/match-props";
import type { Toleration } from "./match/toleration";
import { checkRecordSet } from "./private/checks/check-record-set";
import { defineResource } from "./private/define-resource";
import { textOf, wholeSeconds, written } from "./private/field-values";
import type { FactsOf } from "./private/prop-shapes";
import { HEALTH_CHECK_FACTS, PART } from "./private/prop-types";
import type { Draft } from "./private/refusal-collector";
import { ImportedResource } from "./private/rights/imported-resource";
import { MATCH_FACTS, writeMatch } from "./private/write-match";
import type { EmptyPolicy } from "./routed-ip/empty-policy";

/** A NodeDNSRecordSet of this app, or one that is defined outside of it. */
export interface INodeDNSRecordSet extends IFlipopResource {
  /** The record set's name. No other kind has this member, so that compilers refuse references of other kinds. */
  readonly nodeDnsRecordSetName: string;
}

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
   * Probes of published nodes, by the operator itself. A node whose probes fail leaves the record set only if a witness,
   * such as the standby replica or the kubelet's Lease, confirms the failure. Needs feature `OperatorFeature.HEALTH_CHECKS` of the operator.
   *
   * @default - no probes
   */
  readonly healthCheck?: HealthCheck;

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
  healthCheck: HEALTH_CHECK_FACTS,
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
export class NodeDNSRecordSet extends FlipopResource implements INodeDNSRecordSet {
  /**
   * Facts about the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /**
   * A record set that is defined outside of this app.
   *
   * @param scope parent construct of the reference
   * @param id construct id of the reference
   * @param name the record set's name
   * @param namespace the record set's namespace
   */
  public static fromNodeDNSRecordSetName(
    scope: Construct,
    id: string,
    name: string,
    namespace?: string,
  ): INodeDNSRecordSet {
    return new Imported(scope, { id, kind: "NodeDNSRecordSet", name, namespace });
  }

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  private readonly addedTolerations: Toleration[] = [];

  constructor(scope: Construct, id: string, props: NodeDNSRecordSetProps) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "NodeDNSRecordSet",
      props,
      facts: FACTS,
      additions: { tolerations: this.addedTolerations },
      write: writeSpec,
      check: ({ dnsRecordSet }, draft) => {
        if (isObject(dnsRecordSet)) checkRecordSet(dnsRecordSet, draft.at("dnsRecord"));
      },
    });
  }

  /**
   * Adds taints that a candidate may have.
   *
   * @param tolerations the tolerations, in addition to those in the props
   */
  public addTolerations(...tolerations: Toleration[]): void {
    this.addedTolerations.push(...tolerations);
  }

  /** The record set's name. */
  public get nodeDnsRecordSetName(): string {
    return this.name;
  }
}

class Imported extends ImportedResource implements INodeDNSRecordSet {
  get nodeDnsRecordSetName(): string {
    return this.name;
  }
}

function writeSpec(props: NodeDNSRecordSetProps, draft: Draft): NodeDNSRecordSetSpec {
  return written({
    dnsRecordSet: props.dnsRecord._write(draft.at("dnsRecord")),
    addressType: textOf(props.addressType),
    ipFamilies: props.ipFamilies?.map((family) => textOf(family)),
    gracePeriodSeconds: wholeSeconds(props.gracePeriod, draft.at("gracePeriod")),
    healthCheck: props.healthCheck?._write(draft.at("healthCheck")),
    emptyPolicy: textOf(props.emptyPolicy),
    match: writeMatch(props, draft),
    paused: props.paused,
  });
}
