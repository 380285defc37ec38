import type { ApiObject, Duration } from "cdk8s";
import type { Construct } from "constructs";
import type { FloatingIPPoolSpec } from "./api/kinds/floating-ip-pool";
import type { DnsRecord } from "./dns-record";
import { FlipopResource, type FlipopResourceProps, type IFlipopResource } from "./flipop-resource";
import type { HealthCheck } from "./health-check";
import type { IpFamily } from "./ip-family";
import { IpProvider } from "./ip-provider";
import type { MatchProps } from "./match/match-props";
import type { NodePreference } from "./match/node-preference";
import type { Toleration } from "./match/toleration";
import { checkPool } from "./private/checks/check-pool";
import { defineResource } from "./private/define-resource";
import { seconds, textOf, wholeSeconds, writeFollowers, written } from "./private/field-values";
import type { FactsOf } from "./private/prop-shapes";
import { ADDRESS_FACTS, PART } from "./private/prop-types";
import type { Draft } from "./private/refusal-collector";
import { holderLabelKeyOf, untilAssignedTaintKeyOf } from "./private/resource-mark-keys";
import { ImportedResource } from "./private/rights/imported-resource";
import { MATCH_FACTS, writeMatch } from "./private/write-match";
import type { Publication } from "./publish-to";
import type { ReclaimPolicy } from "./reclaim-policy";

/** A FloatingIPPool of this app, or one that is defined outside of it. */
export interface IFloatingIPPool extends IFlipopResource {
  /** The pool's name. No other kind has this member, so that compilers refuse references of other kinds. */
  readonly floatingIpPoolName: string;
}

/** Props of a FloatingIPPool. */
export interface FloatingIPPoolProps extends FlipopResourceProps, MatchProps {
  /**
   * Region in which addresses are created, such as `nyc3`. Match only nodes of this region: no other node can have the
   * addresses. If `desiredIps` exceeds the number of `ips`, this construct requires a region, although the resource
   * does not: without a region, the operator creates an address only on a node that waits for one.
   *
   * @default - none; `ips` must then list every address
   */
  readonly region?: string;

  /**
   * Provider of the addresses.
   *
   * @default IpProvider.DIGITALOCEAN
   */
  readonly provider?: IpProvider;

  /**
   * Desired number of addresses, 0 to 1024. More than `ips` lists: the operator creates the others. Fewer: the operator
   * disables the last ones, which leave DNS and are not assigned to nodes. 0 means exactly `ips`.
   *
   * @default - exactly `ips`
   */
  readonly desiredIps?: number;

  /**
   * Addresses to use, such as `192.0.2.10`: all of one family, without duplicates, 1024 at most. The operator appends
   * the addresses that it creates. To give up a created address, also lower `desiredIps`. No other
   * resource of the app may list the same addresses.
   *
   * @default - none: the operator creates `desiredIps` addresses
   */
  readonly ips?: string[];

  /**
   * Family of all addresses of the pool, listed and created.
   *
   * @default - the family of `ips`, or IPv4 if the list is empty
   */
  readonly ipFamily?: IpFamily;

  /**
   * Cool-off: time from one assignment of the pool to the next. Fractions of a second are allowed.
   *
   * @default - none
   */
  readonly assignmentCoolOff?: Duration;

  /**
   * Grace period: how long a holder that may recover (node not ready, pod unready or absent) keeps its address while
   * another node waits. Any other refusal, such as a cordon, ends the grace period at once. Whole seconds, 0 to a day.
   *
   * @default Duration.seconds(0)
   */
  readonly gracePeriod?: Duration;

  /**
   * Maximum number of addresses that leave a holder for another node, per minute, 1 to 1000. The operator may move that
   * many addresses at once, then one each time a share of the minute has passed. The assignment of an address without a
   * holder does not count.
   *
   * @default - no limit
   */
  readonly maxMovesPerMinute?: number;

  /**
   * Order in which waiting candidates get an address; it never causes a move.
   *
   * @default NodePreference.STABLE
   */
  readonly nodePreference?: NodePreference;

  /**
   * What happens to an address that the pool created when the pool is deleted or no longer needs it. If you change RETAIN
   * to DELETE, the operator also releases the created addresses that the pool disabled before the change. It never
   * releases addresses that you listed.
   *
   * @default ReclaimPolicy.RETAIN
   */
  readonly reclaimPolicy?: ReclaimPolicy;

  /**
   * Record set with the active addresses. While no address is active, it has those on cordoned nodes; without any, it
   * stays unchanged.
   *
   * @default - no DNS records
   */
  readonly dnsRecord?: DnsRecord;

  /**
   * Probes of holders and of the next candidates, by the operator itself. A candidate whose probes fail gets no address.
   * The operator moves an address off a holder whose probes fail only if a witness, such as the standby replica or the
   * kubelet's Lease, confirms the failure. Needs feature `OperatorFeature.HEALTH_CHECKS` of the operator.
   *
   * @default - no probes
   */
  readonly healthCheck?: HealthCheck;

  /**
   * Whether the operator sets label `holderLabelKey`, with the value `true`, on the node that has an address of this
   * resource. It removes the label from the previous node first, and sets it after the address has arrived.
   *
   * @default false
   */
  readonly holderLabel?: boolean;

  /**
   * Whether matching nodes without an address of this resource get NoSchedule taint `untilAssignedTaintKey`: pods that do
   * not tolerate it start only where the address is. Give the pods that select the nodes a toleration.
   *
   * @default false
   */
  readonly untilAssigned?: boolean;

  /**
   * Objects of the same namespace whose status shows the active addresses. Needs feature `OperatorFeature.PUBLISH`.
   *
   * @default - none
   */
  readonly publishTo?: Publication[];

  /**
   * Whether the resource is paused: the operator writes only its status, and the resource keeps its claims. Deletion
   * still cleans up.
   *
   * @default false
   */
  readonly paused?: boolean;
}

const FACTS: FactsOf<FloatingIPPoolProps> = {
  ...MATCH_FACTS,
  region: { fields: ["region"] },
  provider: { fields: ["provider"], part: PART.provider },
  desiredIps: { fields: ["desiredIPs"] },
  ips: { fields: ["ips"], list: true },
  ipFamily: { fields: ["ipFamily"] },
  assignmentCoolOff: { fields: ["assignmentCoolOffSeconds"], part: PART.duration },
  gracePeriod: { fields: ["gracePeriodSeconds"], part: PART.duration },
  maxMovesPerMinute: { fields: ["maxMovesPerMinute"] },
  nodePreference: { fields: ["nodePreference"] },
  reclaimPolicy: { fields: ["reclaimPolicy"] },
  ...ADDRESS_FACTS,
};

/**
 * A pool of addresses (reserved IPs) that follow healthy nodes, and a DNS record set with the active addresses.
 *
 * @example
 * import { App, Chart, Duration } from "cdk8s";
 * import * as kplus from "cdk8s-plus-28";
 * import { DnsRecord, FloatingIPPool, NodeMatch, PodMatch } from "cdk8s-flipop";
 *
 * const app = new App();
 * const chart = new Chart(app, "ingress", { namespace: "ingress" });
 * const controller = new kplus.DaemonSet(chart, "controller", { containers: [{ image: "nginx:1.29", portNumber: 80 }] });
 *
 * new FloatingIPPool(chart, "pool", {
 *   metadata: { name: "ingress" },
 *   region: "nyc3",
 *   desiredIps: 3,
 *   pods: PodMatch.of(controller),
 *   nodes: NodeMatch.doksNodePool("work"),
 *   gracePeriod: Duration.seconds(30),
 *   dnsRecord: DnsRecord.digitalOcean("www", "example.com"),
 * });
 * app.synth();
 */
export class FloatingIPPool extends FlipopResource implements IFloatingIPPool {
  /**
   * Facts about the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /**
   * A pool that is defined outside of this app.
   *
   * @param scope parent construct of the reference
   * @param id construct id of the reference
   * @param name the pool's name
   * @param namespace the pool's namespace
   */
  public static fromFloatingIPPoolName(
    scope: Construct,
    id: string,
    name: string,
    namespace?: string,
  ): IFloatingIPPool {
    return new Imported(scope, { id, kind: "FloatingIPPool", name, namespace });
  }

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  private readonly addedIps: string[] = [];
  private readonly addedTolerations: Toleration[] = [];

  constructor(scope: Construct, id: string, props: FloatingIPPoolProps = {}) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "FloatingIPPool",
      props,
      facts: FACTS,
      additions: { ips: this.addedIps, tolerations: this.addedTolerations },
      write: writeSpec,
      check: checkPool,
    });
  }

  /**
   * Adds addresses to `ips`.
   *
   * @param ips addresses such as `192.0.2.10`, of the pool's family
   */
  public addIps(...ips: string[]): void {
    this.addedIps.push(...ips);
  }

  /**
   * Adds taints that a candidate may have.
   *
   * @param tolerations the tolerations, in addition to those in the props
   */
  public addTolerations(...tolerations: Toleration[]): void {
    this.addedTolerations.push(...tolerations);
  }

  /** The pool's name. */
  public get floatingIpPoolName(): string {
    return this.name;
  }

  /** Key of the label on the node that has an address. Fails if the namespace is not known at synthesis. */
  public get holderLabelKey(): string {
    return holderLabelKeyOf(this, "FloatingIPPool");
  }

  /** Key of the taint on nodes that wait for an address. Fails if the namespace is not known at synthesis. */
  public get untilAssignedTaintKey(): string {
    return untilAssignedTaintKeyOf(this, "FloatingIPPool");
  }
}

class Imported extends ImportedResource implements IFloatingIPPool {
  get floatingIpPoolName(): string {
    return this.name;
  }
}

function writeSpec(props: FloatingIPPoolProps, draft: Draft): FloatingIPPoolSpec {
  return written({
    provider: (props.provider ?? IpProvider.DIGITALOCEAN).name,
    region: props.region,
    desiredIPs: props.desiredIps,
    ips: props.ips,
    ipFamily: textOf(props.ipFamily),
    assignmentCoolOffSeconds: seconds(props.assignmentCoolOff, draft.at("assignmentCoolOff")),
    gracePeriodSeconds: wholeSeconds(props.gracePeriod, draft.at("gracePeriod")),
    maxMovesPerMinute: props.maxMovesPerMinute,
    nodePreference: textOf(props.nodePreference),
    reclaimPolicy: textOf(props.reclaimPolicy),
    dnsRecordSet: props.dnsRecord?._write(draft.at("dnsRecord")),
    match: writeMatch(props, draft),
    ...writeFollowers(props, draft),
  });
}
