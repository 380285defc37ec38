import type { ApiObject } from "cdk8s";
import { Construct, type IConstruct } from "constructs";
import { providerNamed } from "./api/providers";
import type { RoutedIPIssuerSpec } from "./api/routed-ip-issuer";
import type { Credentials } from "./credentials";
import { FlipopResource, type FlipopResourceProps } from "./flipop-resource";
import { IpProvider } from "./ip-provider";
import { checkRegion } from "./private/check-region";
import { defineResource } from "./private/define-resource";
import type { Draft } from "./private/draft";
import { PART } from "./private/part";
import type { FactsOf } from "./private/props";
import { textOf, written } from "./private/written";
import type { ReclaimPolicy } from "./reclaim-policy";

/** A RoutedIPIssuer of this app, or one that is defined outside of it. */
export interface IRoutedIPIssuer extends IConstruct {
  /** The issuer's name. No other kind has this member, so that compilers refuse references of other kinds. */
  readonly routedIpIssuerName: string;

  /** The issuer's name. */
  readonly name: string;

  /**
   * The issuer's namespace, if known at synthesis.
   *
   * @default - not known
   */
  readonly namespace?: string | undefined;
}

/** Props of a RoutedIPIssuer. */
export interface RoutedIPIssuerProps extends FlipopResourceProps {
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
   * the operator creates one.
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
    return new ImportedIssuer(scope, { id, name, namespace });
  }

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  constructor(scope: Construct, id: string, props: RoutedIPIssuerProps = {}) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "RoutedIPIssuer",
      props,
      facts: FACTS,
      write: (draft) => writeSpec(props, draft),
    });
  }

  /** The issuer's name. */
  public get routedIpIssuerName(): string {
    return this.name;
  }

  /**
   * The issuer's namespace, if known at synthesis.
   *
   * @default - not known
   */
  public get namespace(): string | undefined {
    return this.metadata.namespace;
  }
}

class ImportedIssuer extends Construct implements IRoutedIPIssuer {
  readonly name: string;
  readonly routedIpIssuerName: string;
  readonly namespace: string | undefined;

  constructor(scope: Construct, facts: { id: string; name: string; namespace: string | undefined }) {
    super(scope, facts.id);
    this.name = facts.name;
    this.routedIpIssuerName = facts.name;
    this.namespace = facts.namespace;
  }
}

function writeSpec(props: RoutedIPIssuerProps, draft: Draft): RoutedIPIssuerSpec {
  const provider = (props.provider ?? IpProvider.DIGITALOCEAN).name;
  checkRegion(props.region, draft.at("region"));
  return written({
    provider,
    region: props.region,
    credentialsSecretRef: props.credentials?._write(draft.at("credentials"), providerNamed(provider)?.tokenVariable),
    routedIPReclaimPolicy: textOf(props.reclaimPolicy),
    routedIPFirewallName: props.firewallName,
  });
}
