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
import { defineResource } from "./private/define-resource";
import type { Draft } from "./private/draft";
import { writeMatch } from "./private/write-match";
import { seconds, textOf, wholeSeconds, written } from "./private/written";
import type { ReclaimPolicy } from "./reclaim-policy";

/** Props of a FloatingIPPool. */
export interface FloatingIPPoolProps extends FlipopResourceProps, MatchProps {
  /**
   * Region that addresses are created in; all matching nodes are taken to be in it.
   *
   * @default - none: then `ips` lists every address, and nothing is created
   */
  readonly region?: string;

  /**
   * Provider of the addresses.
   *
   * @default IpProvider.DIGITALOCEAN
   */
  readonly provider?: IpProvider;

  /**
   * How many addresses the pool has. More than `ips`: the rest is created. Fewer: the tail of `ips` is disabled.
   *
   * @default - exactly `ips`
   */
  readonly desiredIps?: number;

  /**
   * Addresses to use, such as `192.0.2.10`. Created ones are appended by the operator, so that they survive a restart.
   *
   * @default - none: `desiredIps` addresses are created
   */
  readonly ips?: string[];

  /**
   * Family of created addresses; a pool holds one family.
   *
   * @default - that of `ips`, else IPv4
   */
  readonly ipFamily?: IpFamily;

  /**
   * Time between two assignments of the pool.
   *
   * @default - none
   */
  readonly assignmentCoolOff?: Duration;

  /**
   * How long a holder which may recover (not ready, pod unready) keeps its address though another node waits. Whole
   * seconds, a day at most.
   *
   * @default Duration.seconds(0)
   */
  readonly gracePeriod?: Duration;

  /**
   * Order among waiting candidates; it never moves an address.
   *
   * @default NodePreference.STABLE
   */
  readonly nodePreference?: NodePreference;

  /**
   * What happens to addresses that this pool created when it is deleted or shrinks. Listed ones are never released.
   *
   * @default ReclaimPolicy.RETAIN
   */
  readonly reclaimPolicy?: ReclaimPolicy;

  /**
   * A record set that holds the active addresses.
   *
   * @default - no DNS records
   */
  readonly dnsRecord?: DnsRecord;

  /**
   * Stops every write but status; deletion still cleans up.
   *
   * @default false
   */
  readonly paused?: boolean;
}

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
  /** The object that is synthesised; patch it where a prop is missing. */
  public readonly apiObject: ApiObject;

  constructor(scope: Construct, id: string, props: FloatingIPPoolProps = {}) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "FloatingIPPool",
      metadata: props.metadata,
      references: props.pods?._references ?? [],
      write: (draft) => writeSpec(props, draft),
    });
  }
}

function writeSpec(props: FloatingIPPoolProps, draft: Draft): FloatingIPPoolSpec {
  checkAddresses(props, draft);
  return written({
    provider: (props.provider ?? IpProvider.DIGITALOCEAN).name,
    region: props.region,
    desiredIPs: props.desiredIps,
    ips: props.ips,
    ipFamily: textOf(props.ipFamily),
    assignmentCoolOffSeconds: seconds(props.assignmentCoolOff),
    gracePeriodSeconds: wholeSeconds(props.gracePeriod, draft.at("gracePeriod")),
    nodePreference: textOf(props.nodePreference),
    reclaimPolicy: textOf(props.reclaimPolicy),
    dnsRecordSet: props.dnsRecord?._write(draft.at("dnsRecord")),
    match: writeMatch(props, draft),
    paused: props.paused,
  });
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
