import type { ApiObject } from "cdk8s";
import { Construct, type IConstruct } from "constructs";
import { DEFAULT_SECRET } from "./api/config";
import type { RoutedIPIssuerSpec } from "./api/routed-ip-issuer";
import type { Credentials } from "./credentials";
import { FlipopResource, type FlipopResourceProps } from "./flipop-resource";
import { IpProvider } from "./ip-provider";
import { defineResource } from "./private/define-resource";
import type { Draft } from "./private/draft";
import { textOf, written } from "./private/written";
import type { ReclaimPolicy } from "./reclaim-policy";

/** A RoutedIPIssuer: one of this app, or one that is made elsewhere. */
export interface IRoutedIPIssuer extends IConstruct {
  /** The issuer's name. */
  readonly name: string;

  /**
   * The issuer's namespace, where it is known at synthesis.
   *
   * @default - not known
   */
  readonly namespace?: string | undefined;
}

/** Props of a RoutedIPIssuer. */
export interface RoutedIPIssuerProps extends FlipopResourceProps {
  /**
   * Region that addresses are created in.
   *
   * @default - none: then each RoutedIP names its address, and nothing is created
   */
  readonly region?: string;

  /**
   * Provider of addresses and firewalls.
   *
   * @default IpProvider.DIGITALOCEAN
   */
  readonly provider?: IpProvider;

  /**
   * The API token, in a Secret of the issuer's own namespace.
   *
   * @default - the operator's, which only an issuer in the operator's own namespace may use
   */
  readonly credentials?: Credentials;

  /**
   * What happens to a created address when its RoutedIP is deleted. Given ones are never released.
   *
   * @default ReclaimPolicy.RETAIN
   */
  readonly reclaimPolicy?: ReclaimPolicy;

  /**
   * Cloud firewall to keep in step; created where it is missing.
   *
   * @default - no firewall is touched
   */
  readonly firewallName?: string;
}

/**
 * An account at a provider, its token and its firewall, through which RoutedIPs get addresses.
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
   * An issuer that is made elsewhere.
   *
   * @param scope where the reference stands
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

  /** The object that is synthesised; patch it where a prop is missing. */
  public readonly apiObject: ApiObject;

  constructor(scope: Construct, id: string, props: RoutedIPIssuerProps = {}) {
    super(scope, id);
    this.apiObject = defineResource(this, {
      kind: "RoutedIPIssuer",
      metadata: props.metadata,
      references: props.credentials?._references ?? [],
      write: (draft) => writeSpec(props, draft),
    });
  }

  /**
   * The issuer's namespace, where it is known at synthesis.
   *
   * @default - not known
   */
  public get namespace(): string | undefined {
    return this.metadata.namespace;
  }
}

class ImportedIssuer extends Construct implements IRoutedIPIssuer {
  readonly name: string;
  readonly namespace: string | undefined;

  constructor(scope: Construct, facts: { id: string; name: string; namespace: string | undefined }) {
    super(scope, facts.id);
    this.name = facts.name;
    this.namespace = facts.namespace;
  }
}

function writeSpec(props: RoutedIPIssuerProps, draft: Draft): RoutedIPIssuerSpec {
  const provider = (props.provider ?? IpProvider.DIGITALOCEAN).name;
  const tokenKeys: Readonly<Record<string, string>> = DEFAULT_SECRET.keys;
  return written({
    provider,
    region: props.region,
    credentialsSecretRef: props.credentials?._write(draft.at("credentials"), tokenKeys[provider]),
    routedIPReclaimPolicy: textOf(props.reclaimPolicy),
    routedIPFirewallName: props.firewallName,
  });
}
