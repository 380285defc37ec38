import { type ApiObject, Chart, type Duration } from "cdk8s";
import type { Construct, IConstruct } from "constructs";
import type { FloatingIPPoolSpec } from "./api/floating-ip-pool";
import { canonicalIp } from "./api/ip-address";
import type { DnsRecord } from "./dns-record";
import { FlipopResource, type FlipopResourceProps } from "./flipop-resource";
import type { IpFamily } from "./ip-family";
import { IpProvider } from "./ip-provider";
import type { MatchProps } from "./match-props";
import type { NodePreference } from "./node-preference";
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
   * Region that addresses are created in, such as `nyc3`. Match nodes of this region only: an address goes to no node
   * elsewhere. This construct is stricter than the resource, and demands it where `desiredIps` is more than `ips` lists:
   * without it, an address would be created only on a node that waits for one.
   *
   * @default - none; `ips` then has to list every address, since nothing is created
   */
  readonly region?: string;

  /**
   * Provider of the addresses.
   *
   * @default IpProvider.DIGITALOCEAN
   */
  readonly provider?: IpProvider;

  /**
   * Number of addresses that the pool should have, 0 to 1024. More than `ips` lists: the rest is created. Fewer: the
   * last ones are disabled, so that they leave DNS and go to no node. 0 means exactly `ips`.
   *
   * @default - exactly `ips`
   */
  readonly desiredIps?: number;

  /**
   * Addresses to use, such as `192.0.2.10`: all of one family, each once, 1024 at most. The operator appends those that
   * it creates. To give up a created one, lower `desiredIps` too. No other pool of the chart may list them.
   *
   * @default - none: `desiredIps` addresses are created
   */
  readonly ips?: string[];

  /**
   * Family of all addresses of the pool, listed and created.
   *
   * @default - that of `ips`, else IPv4
   */
  readonly ipFamily?: IpFamily;

  /**
   * Cool-off: time from one assignment of the pool to the next. Fractions of a second are allowed.
   *
   * @default - none
   */
  readonly assignmentCoolOff?: Duration;

  /**
   * Grace period: how long a holder that may recover (node not ready, pod unready or absent) keeps its address though
   * another node waits. Any other refusal, such as a cordon, ends it at once. Whole seconds, 0 to a day.
   *
   * @default Duration.seconds(0)
   */
  readonly gracePeriod?: Duration;

  /**
   * Order in which waiting candidates get an address; it never moves one.
   *
   * @default NodePreference.STABLE
   */
  readonly nodePreference?: NodePreference;

  /**
   * What happens to an address that the pool created when the pool is deleted or no longer needs it. Addresses that
   * you listed are never released.
   *
   * @default ReclaimPolicy.RETAIN
   */
  readonly reclaimPolicy?: ReclaimPolicy;

  /**
   * Record set that holds the active addresses. While none is active, it stays as it is.
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
 * A pool of addresses (reserved IPs) that follow healthy nodes, and the DNS record set that names them.
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
   * What is known of the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /** The object that is synthesised. Its `addJsonPatch` sets what no prop does. */
  public readonly apiObject: ApiObject;

  /**
   * Addresses that are listed.
   *
   * @internal
   */
  public readonly _ips: readonly string[];

  constructor(scope: Construct, id: string, props: FloatingIPPoolProps = {}) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "FloatingIPPool",
      props,
      facts: FACTS,
      write: (draft) => {
        checkShared(this, draft);
        return writeSpec(props, draft);
      },
    });
    // Other pools read them, also where they are refused here.
    this._ips = Array.isArray(props.ips) ? props.ips.map(String) : [];
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

/** Of one chart: two charts may be two clusters, of which one takes an address over. It is told of the later pool. */
function checkShared(pool: FloatingIPPool, draft: Draft): void {
  if (pool._ips.length === 0) return;
  const constructs: readonly IConstruct[] = Chart.of(pool).node.findAll();
  const earlier = constructs.slice(0, constructs.indexOf(pool)).filter((one) => one instanceof FloatingIPPool);
  const holders = new Map(earlier.flatMap(({ node, _ips }) => _ips.map((ip) => [canonicalIp(ip), node.path])));
  for (const [index, ip] of pool._ips.entries()) {
    const holder = holders.get(canonicalIp(ip));
    if (holder === undefined) continue;
    const fix = "an address is of one pool, remove it from one of them";
    draft.at(`ips[${index}]`).refuse(`"${ip}" is listed by ${holder} too: ${fix}`);
  }
}

/** The API server lets these pass, because the operator can live with them; whoever writes them means something else. */
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
        `is missing, and ${desiredIps - listed} of ${desiredIps} addresses have to be created: give their region, such as "nyc3"`,
      );
  }
}
