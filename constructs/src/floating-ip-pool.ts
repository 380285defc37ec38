import type { ApiObject, Duration } from "cdk8s";
import type { Construct } from "constructs";
import type { FloatingIPPoolSpec } from "./api/floating-ip-pool";
import { canonicalIp } from "./api/ip-address";
import type { DnsRecord } from "./dns-record";
import { FlipopResource, type FlipopResourceProps } from "./flipop-resource";
import type { IpFamily } from "./ip-family";
import { IpProvider } from "./ip-provider";
import type { MatchProps } from "./match-props";
import type { NodePreference } from "./node-preference";
import { addressClaims, checkAddressClaims } from "./private/app/address-claims";
import { checkRegion } from "./private/check-region";
import { defineResource } from "./private/define-resource";
import type { Draft } from "./private/draft";
import { PART } from "./private/part";
import type { FactsOf } from "./private/props";
import { MATCH_FACTS, writeMatch } from "./private/write-match";
import { seconds, textOf, wholeSeconds, written } from "./private/written";
import type { ReclaimPolicy } from "./reclaim-policy";

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
   * the addresses that it creates. To give up a created address, also lower `desiredIps`. No other pool of the chart
   * may list the same addresses.
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
   * Order in which waiting candidates get an address; it never causes a move.
   *
   * @default NodePreference.STABLE
   */
  readonly nodePreference?: NodePreference;

  /**
   * What happens to an address that the pool created when the pool is deleted or no longer needs it. The operator never
   * releases addresses that you listed.
   *
   * @default ReclaimPolicy.RETAIN
   */
  readonly reclaimPolicy?: ReclaimPolicy;

  /**
   * Record set with the active addresses. While no address is active, it stays unchanged.
   *
   * @default - no DNS records
   */
  readonly dnsRecord?: DnsRecord;

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
  nodePreference: { fields: ["nodePreference"] },
  reclaimPolicy: { fields: ["reclaimPolicy"] },
  dnsRecord: { fields: ["dnsRecordSet"], part: PART.dnsRecord },
  paused: { fields: ["paused"] },
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
export class FloatingIPPool extends FlipopResource {
  /**
   * Facts about the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  /**
   * What only one resource of a cluster may have.
   *
   * @internal
   */
  public readonly _claims: readonly string[];

  constructor(scope: Construct, id: string, props: FloatingIPPoolProps = {}) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "FloatingIPPool",
      props,
      facts: FACTS,
      write: (draft) => writeSpec(props, draft),
      check: (draft, index) => checkAddressClaims(this, addresses, { draft, index }),
    });
    // Other resources are compared with them, even if this pool's own checks refuse them.
    const addresses = Array.isArray(props?.ips)
      ? props.ips.map((ip, at) => ({ prop: `ips[${at}]`, ip: String(ip) }))
      : [];
    this._claims = addressClaims(addresses);
  }
}

function writeSpec(props: FloatingIPPoolProps, draft: Draft): FloatingIPPoolSpec {
  checkAddresses(props, draft);
  checkRegion(props.region, draft.at("region"));
  return written({
    provider: (props.provider ?? IpProvider.DIGITALOCEAN).name,
    region: props.region,
    desiredIPs: props.desiredIps,
    ips: props.ips,
    ipFamily: textOf(props.ipFamily),
    assignmentCoolOffSeconds: seconds(props.assignmentCoolOff, draft.at("assignmentCoolOff")),
    gracePeriodSeconds: wholeSeconds(props.gracePeriod, draft.at("gracePeriod")),
    nodePreference: textOf(props.nodePreference),
    reclaimPolicy: textOf(props.reclaimPolicy),
    dnsRecordSet: props.dnsRecord?._write(draft.at("dnsRecord")),
    match: writeMatch(props, draft),
    paused: props.paused,
  });
}

/** Refuses mistakes that the API server accepts, because the operator can handle them. */
function checkAddresses({ ips = [], desiredIps = 0, region }: FloatingIPPoolProps, draft: Draft): void {
  const spellings = ips.map(canonicalIp);
  for (const [index, spelling] of spellings.entries()) {
    if (spellings.indexOf(spelling) === index) continue;
    draft.at(`ips[${index}]`).refuse(`"${ips[index]}" is listed twice: remove one`);
  }
  const listed = new Set(spellings).size;
  if (desiredIps > listed && (region ?? "") === "") {
    draft
      .at("region")
      .refuse(
        `is missing, but ${desiredIps - listed} of ${desiredIps} addresses must be created: give their region, such as "nyc3"`,
      );
  }
}
