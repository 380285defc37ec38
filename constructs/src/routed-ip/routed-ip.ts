import type { ApiObject, Duration } from "cdk8s";
import type { Construct } from "constructs";
import type { RoutedIPSpec } from "../api/kinds/routed-ip";
import { isObject } from "../api/schema/schema";
import type { DnsRecord } from "../dns-record";
import { FlipopResource, type FlipopResourceProps, type IFlipopResource } from "../flipop-resource";
import type { HealthCheck } from "../health-check";
import { checkRecordSet } from "../private/checks/check-record-set";
import { defineResource } from "../private/define-resource";
import { wholeSeconds, writeFollowers, written } from "../private/field-values";
import type { FactsOf } from "../private/prop-shapes";
import { ADDRESS_FACTS, PART } from "../private/prop-types";
import type { Draft } from "../private/refusal-collector";
import { holderLabelKeyOf, untilAssignedTaintKeyOf } from "../private/resource-mark-keys";
import { ImportedResource } from "../private/rights/imported-resource";
import type { Publication } from "../publish-to";
import type { RoutedIPImplementation } from "./routed-ip-implementation";
import type { ServiceRef } from "./service-ref";

/** A RoutedIP of this app, or one that is defined outside of it. */
export interface IRoutedIP extends IFlipopResource {
  /** The RoutedIP's name. No other kind has this member, so that compilers refuse references of other kinds. */
  readonly routedIpName: string;
}

/** Props of a RoutedIP. */
export interface RoutedIPProps extends FlipopResourceProps {
  /** Implementation of this address: an issuer or a class. It cannot be changed later. */
  readonly implementation: RoutedIPImplementation;

  /**
   * The Service whose nodes the address follows. Without a pod selector, it has none. A Service of this app that is
   * headless or of type ExternalName is refused.
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
   * Probes of the holder and of the next candidates, by the operator itself. A candidate whose probes fail gets no
   * address. The operator moves the address off a holder whose probes fail only if a witness, such as the
   * standby replica or the kubelet's Lease, confirms the failure. Needs feature `OperatorFeature.HEALTH_CHECKS` of the operator.
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

const FACTS: FactsOf<RoutedIPProps> = {
  implementation: { fields: ["className", "issuerRef"], required: true, part: PART.routedIp },
  service: { fields: ["serviceRef"], part: PART.service, required: true },
  address: { fields: ["routedIP"] },
  gracePeriod: { fields: ["gracePeriodSeconds"], part: PART.duration },
  ...ADDRESS_FACTS,
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
 *   service: ServiceRef.fromService(service),
 * });
 * app.synth();
 */
export class RoutedIP extends FlipopResource implements IRoutedIP {
  /**
   * Facts about the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /**
   * A RoutedIP that is defined outside of this app.
   *
   * @param scope parent construct of the reference
   * @param id construct id of the reference
   * @param name the RoutedIP's name
   * @param namespace the RoutedIP's namespace
   */
  public static fromRoutedIPName(scope: Construct, id: string, name: string, namespace?: string): IRoutedIP {
    return new Imported(scope, { id, kind: "RoutedIP", name, namespace });
  }

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  constructor(scope: Construct, id: string, props: RoutedIPProps) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "RoutedIP",
      props,
      facts: FACTS,
      write: writeSpec,
      check: ({ dnsRecordSet }, draft) => {
        if (isObject(dnsRecordSet)) checkRecordSet(dnsRecordSet, draft.at("dnsRecord"));
      },
    });
  }

  /** The RoutedIP's name. */
  public get routedIpName(): string {
    return this.name;
  }

  /**
   * Key of the label on the node that has an address of this resource, if `holderLabel` is true. Its value is `true`.
   * Fails if the namespace is not known at synthesis, because the key contains it.
   */
  public get holderLabelKey(): string {
    return holderLabelKeyOf(this, "RoutedIP");
  }

  /**
   * Key of the taint on matching nodes without an address of this resource, if `untilAssigned` is true. Its effect is
   * `NoSchedule`. Fails if the namespace is not known at synthesis, because the key contains it.
   */
  public get untilAssignedTaintKey(): string {
    return untilAssignedTaintKeyOf(this, "RoutedIP");
  }
}

class Imported extends ImportedResource implements IRoutedIP {
  get routedIpName(): string {
    return this.name;
  }
}

function writeSpec(props: RoutedIPProps, draft: Draft): RoutedIPSpec {
  return written({
    ...props.implementation._write(draft.at("implementation")),
    serviceRef: props.service._write(draft.at("service")),
    routedIP: props.address,
    dnsRecordSet: props.dnsRecord?._write(draft.at("dnsRecord")),
    gracePeriodSeconds: wholeSeconds(props.gracePeriod, draft.at("gracePeriod")),
    ...writeFollowers(props, draft),
  });
}
