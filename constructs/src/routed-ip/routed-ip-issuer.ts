import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { RoutedIPIssuerSpec } from "../api/kinds/routed-ip-issuer";
import { providerNamed } from "../api/providers";
import type { Credentials } from "../credentials";
import { FlipopResource, type FlipopResourceProps, type IFlipopResource } from "../flipop-resource";
import { IpProvider } from "../ip-provider";
import { checkZones } from "../private/checks/check-record-set";
import { checkRegion } from "../private/checks/check-region";
import { defineResource } from "../private/define-resource";
import { textOf, written } from "../private/field-values";
import type { FactsOf } from "../private/prop-shapes";
import { PART } from "../private/prop-types";
import { ImportedResource } from "../private/rights/imported-resource";
import { LIMIT_FACTS, limitFields } from "../private/write-limits";
import type { ReclaimPolicy } from "../reclaim-policy";
import type { RoutedIPLimits } from "./routed-ip-limits";

/** A RoutedIPIssuer of this app, or one that is defined outside of it. */
export interface IRoutedIPIssuer extends IFlipopResource {
  /** The issuer's name. No other kind has this member, so that compilers refuse references of other kinds. */
  readonly routedIpIssuerName: string;
}

/** Props of a RoutedIPIssuer. */
export interface RoutedIPIssuerProps extends FlipopResourceProps, RoutedIPLimits {
  /**
   * Region in which addresses are created, such as `nyc3`.
   *
   * @default - none; the operator then creates an address only on a node that waits for one
   */
  readonly region?: string;

  /**
   * Provider of addresses and firewalls.
   *
   * @default IpProvider.DIGITALOCEAN
   */
  readonly provider?: IpProvider;

  /**
   * The token, in a Secret of the issuer's own namespace. The operator reads only Secrets of its `issuerNamespaces`.
   *
   * @default - the operator's own token, which only an issuer in the operator's namespace may use
   */
  readonly credentials?: Credentials;

  /**
   * What happens to a created address when its RoutedIP is deleted. The operator never releases an address from prop
   * `address`.
   *
   * @default ReclaimPolicy.RETAIN
   */
  readonly reclaimPolicy?: ReclaimPolicy;

  /**
   * Name of the cloud firewall that allows traffic to the Services' ports. If the account has no firewall of this name,
   * the operator creates one. If all nodes in a full firewall serve, the operator creates additional ones.
   *
   * @default - the operator changes no firewall
   */
  readonly firewallName?: string;
}

const FACTS: FactsOf<RoutedIPIssuerProps> = {
  region: { fields: ["region"] },
  provider: { fields: ["provider"], part: PART.provider },
  credentials: { fields: ["credentialsSecretRef"], part: PART.credentials },
  reclaimPolicy: { fields: ["routedIPReclaimPolicy"] },
  firewallName: { fields: ["routedIPFirewallName"] },
  ...LIMIT_FACTS,
};

/**
 * An account at a provider, with its token and its firewall, for the addresses of RoutedIPs.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { Credentials, ReclaimPolicy, RoutedIPIssuer } from "cdk8s-flipop";
 *
 * const app = new App();
 * const chart = new Chart(app, "game", { namespace: "game" });
 *
 * new RoutedIPIssuer(chart, "issuer", {
 *   metadata: { name: "digitalocean" },
 *   region: "nyc3",
 *   credentials: Credentials.fromSecretName("digitalocean", "token"),
 *   reclaimPolicy: ReclaimPolicy.DELETE,
 *   firewallName: "game-servers",
 * });
 * app.synth();
 */
export class RoutedIPIssuer extends FlipopResource implements IRoutedIPIssuer {
  /**
   * Facts about the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /**
   * An issuer that is defined outside of this app.
   *
   * @param scope parent construct of the reference
   * @param id construct id of the reference
   * @param name the issuer's name
   * @param namespace the issuer's namespace; a ClusterRoutedIPClass needs it
   */
  public static fromRoutedIPIssuerName(
    scope: Construct,
    id: string,
    name: string,
    namespace?: string,
  ): IRoutedIPIssuer {
    return new Imported(scope, { id, kind: "RoutedIPIssuer", name, namespace });
  }

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  constructor(scope: Construct, id: string, props: RoutedIPIssuerProps = {}) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "RoutedIPIssuer",
      props,
      facts: FACTS,
      write: (given, draft) => {
        const provider = draft.at("provider").resolved((given.provider ?? IpProvider.DIGITALOCEAN).name);
        const { tokenVariable } = providerNamed(provider) ?? {};
        return written({
          provider,
          region: given.region,
          credentialsSecretRef: given.credentials?._write(draft.at("credentials"), tokenVariable),
          routedIPReclaimPolicy: textOf(given.reclaimPolicy),
          routedIPFirewallName: given.firewallName,
          ...limitFields(given),
        }) satisfies RoutedIPIssuerSpec;
      },
      check: (spec, draft) => {
        checkRegion(spec.region, draft.at("region"));
        checkZones(spec, draft.at("allowedZones"));
      },
    });
  }

  /** The issuer's name. */
  public get routedIpIssuerName(): string {
    return this.name;
  }
}

class Imported extends ImportedResource implements IRoutedIPIssuer {
  get routedIpIssuerName(): string {
    return this.name;
  }
}
