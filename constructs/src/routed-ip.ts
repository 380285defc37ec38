import type { ApiObject, Duration } from "cdk8s";
import type { Construct } from "constructs";
import type { RoutedIPSpec } from "./api/routed-ip";
import type { DnsRecord } from "./dns-record";
import { FlipopResource, type FlipopResourceProps } from "./flipop-resource";
import { addressClaims, checkAddressClaims } from "./private/app/address-claims";
import { defineResource } from "./private/define-resource";
import type { Draft } from "./private/draft";
import { PART } from "./private/part";
import type { FactsOf } from "./private/props";
import { wholeSeconds, written } from "./private/written";
import type { RoutedIPImplementation } from "./routed-ip-implementation";
import type { ServiceRef } from "./service-ref";

/** Props of a RoutedIP. */
export interface RoutedIPProps extends FlipopResourceProps {
  /** Implementation of this address: an issuer or a class. It cannot be changed later. */
  readonly implementation: RoutedIPImplementation;

  /**
   * The Service whose nodes the address follows. It needs a pod selector, and must be neither headless nor of type
   * ExternalName.
   */
  readonly service: ServiceRef;

  /**
   * Existing address to use, such as `192.0.2.20`; the operator never releases it.
   *
   * @default - the operator creates an IPv4 address
   */
  readonly address?: string;

  /**
   * Record set with the address.
   *
   * @default - no DNS records
   */
  readonly dnsRecord?: DnsRecord;

  /**
   * Grace period: how long a holder that may recover (node not ready, pod unready or absent) keeps its address while
   * another node waits. Any other refusal, such as a cordon, ends the grace period at once. Whole seconds, 0 to a day.
   *
   * @default Duration.seconds(0)
   */
  readonly gracePeriod?: Duration;

  /**
   * Whether the resource is paused: the operator writes only its status, and the resource keeps its claims. Deletion
   * still cleans up.
   *
   * @default false
   */
  readonly paused?: boolean;
}

const FACTS: FactsOf<RoutedIPProps> = {
  implementation: { fields: ["className", "issuerRef"], required: true, part: PART.routedIp },
  service: { fields: ["serviceRef"], part: PART.service, required: true },
  address: { fields: ["routedIP"] },
  dnsRecord: { fields: ["dnsRecordSet"], part: PART.dnsRecord },
  gracePeriod: { fields: ["gracePeriodSeconds"], part: PART.duration },
  paused: { fields: ["paused"] },
};

/**
 * A routable address that follows the nodes of a Service, and the cloud firewall rules for its ports.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import * as kplus from "cdk8s-plus-28";
 * import { Credentials, RoutedIP, RoutedIPImplementation, RoutedIPIssuer, ServiceRef } from "cdk8s-flipop";
 *
 * const app = new App();
 * const chart = new Chart(app, "game", { namespace: "game" });
 * const server = new kplus.Deployment(chart, "server", {
 *   containers: [{ image: "registry.example/game:1", ports: [{ number: 7777, protocol: kplus.Protocol.UDP }] }],
 * });
 * const service = server.exposeViaService({ serviceType: kplus.ServiceType.NODE_PORT });
 * const issuer = new RoutedIPIssuer(chart, "issuer", {
 *   region: "nyc3",
 *   credentials: Credentials.fromSecretName("digitalocean"),
 *   firewallName: "game-servers",
 * });
 *
 * new RoutedIP(chart, "address", {
 *   metadata: { name: "game" },
 *   implementation: RoutedIPImplementation.issuer(issuer),
 *   service: ServiceRef.of(service),
 * });
 * app.synth();
 */
export class RoutedIP extends FlipopResource {
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

  constructor(scope: Construct, id: string, props: RoutedIPProps) {
    super(scope, id);
    const addresses = typeof props?.address === "string" ? [{ prop: "address", ip: props.address }] : [];
    this._claims = addressClaims(addresses);
    this.apiObject = defineResource(this, {
      kind: "RoutedIP",
      props,
      facts: FACTS,
      write: (draft) => writeSpec(props, draft),
      check: (draft, index) => checkAddressClaims(this, addresses, { draft, index }),
    });
  }
}

function writeSpec(props: RoutedIPProps, draft: Draft): RoutedIPSpec {
  return written({
    ...props.implementation._write(draft.at("implementation")),
    serviceRef: props.service._write(draft.at("service")),
    routedIP: props.address,
    dnsRecordSet: props.dnsRecord?._write(draft.at("dnsRecord")),
    gracePeriodSeconds: wholeSeconds(props.gracePeriod, draft.at("gracePeriod")),
    paused: props.paused,
  });
}
