import type { ApiObject } from "cdk8s";
import { Construct, type IConstruct } from "constructs";
import type { ClusterRoutedIPClassSpec, ElectedNodeTaint as TaintFields } from "./api/cluster-routed-ip-class";
import type { ClassImplementation } from "./class-implementation";
import { FlipopResource, type FlipopResourceProps } from "./flipop-resource";
import type { PortRange } from "./port-range";
import { defineResource } from "./private/define-resource";
import type { Draft } from "./private/draft";
import { PART } from "./private/part";
import type { FactsOf } from "./private/props";
import { textOf, written } from "./private/written";
import type { SecretRef } from "./secret-ref";
import type { TaintEffect } from "./taint-effect";

/** A ClusterRoutedIPClass of this app, or one that is defined outside of it. */
export interface IClusterRoutedIPClass extends IConstruct {
  /** The class's name. No other kind has this member, so that compilers refuse references of other kinds. */
  readonly clusterRoutedIpClassName: string;

  /** The class's name. */
  readonly name: string;

  /**
   * Namespaces whose RoutedIPs may use the class, if known at synthesis.
   *
   * @default - all namespaces namespaces, or not known
   */
  readonly allowedNamespaces?: string[] | undefined;
}

/** The taint of the node that holds an address. */
export interface ElectedNodeTaint {
  /**
   * Key of the taint. It must begin with `flipop.digitalocean.com/`.
   *
   * @default - flipop.digitalocean.com/routed-ip
   */
  readonly key?: string;

  /**
   * Value of the taint.
   *
   * @default - empty
   */
  readonly value?: string;

  /**
   * Effect of the taint. NO_EXECUTE is refused, because it would evict the pods behind the address.
   *
   * @default TaintEffect.PREFER_NO_SCHEDULE
   */
  readonly effect?: TaintEffect;
}

/** Props of a ClusterRoutedIPClass. */
export interface ClusterRoutedIPClassProps extends FlipopResourceProps {
  /** Implementation of the RoutedIPs of the class: a RoutedIPIssuer, or your own Jobs. */
  readonly implementation: ClassImplementation;

  /**
   * Whether the operator changes the firewall after it assigns the address (true) or before (false). Jobs always assign
   * first, so this prop is refused with Jobs.
   *
   * @default false
   */
  readonly firewallPostAllow?: boolean;

  /**
   * The cluster's range of NodePorts. The operator adds no firewall rules for ports in this range: they must already be
   * open.
   *
   * @default PortRange.of(30000, 32767)
   */
  readonly nodePorts?: PortRange;

  /**
   * Maximum number of addresses on one node, 1 to 100, including those of pools. If the provider has a lower limit,
   * that limit applies; DigitalOcean's limit is 1.
   *
   * @default 1
   */
  readonly perNodeIpLimit?: number;

  /**
   * Secrets in the namespace of the Jobs, 16 at most. The Jobs get their entries as environment variables. Refused if
   * the class has an issuer.
   *
   * @default - none
   */
  readonly secrets?: SecretRef[];

  /**
   * Namespace in which the Jobs run: one of the operator's `jobNamespaces`. Refused if the class has an issuer.
   *
   * @default - the first of the operator's `jobNamespaces`, which is `flipop-jobs` by default
   */
  readonly jobNamespace?: string;

  /**
   * The taint of the node that holds an address.
   *
   * @default - flipop.digitalocean.com/routed-ip, without a value, with effect PreferNoSchedule
   */
  readonly electedNodeTaint?: ElectedNodeTaint;

  /**
   * Namespaces whose RoutedIPs may use the class, 256 at most. An empty list is refused, because no RoutedIP could use
   * the class.
   *
   * @default - all namespaces
   */
  readonly allowedNamespaces?: string[];
}

const FACTS: FactsOf<ClusterRoutedIPClassProps> = {
  implementation: {
    fields: ["issuerRef", "updateRoutedIP", "updateFirewall"],
    required: true,
    part: PART.clusterClass,
  },
  firewallPostAllow: { fields: ["firewallPostAllow"] },
  nodePorts: { fields: ["nodePortRange"], part: PART.ports },
  perNodeIpLimit: { fields: ["perNodeIPLimit"] },
  secrets: { fields: ["fromSecretsRef"], part: PART.secret, list: true },
  jobNamespace: { fields: ["jobNamespace"] },
  electedNodeTaint: {
    fields: ["electedNodeTaint"],
    struct: { key: { part: PART.text }, value: { part: PART.text }, effect: { part: PART.text } },
  },
  allowedNamespaces: { fields: ["allowedNamespaces"], list: true },
};

/**
 * A class of RoutedIPs and its implementation: a RoutedIPIssuer, or your own Jobs for any platform.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { ClassImplementation, ClusterRoutedIPClass, RoutedIPJob, SecretRef } from "cdk8s-flipop";
 *
 * const app = new App();
 * const chart = new Chart(app, "classes");
 *
 * new ClusterRoutedIPClass(chart, "public", {
 *   metadata: { name: "public" },
 *   implementation: ClassImplementation.jobs(
 *     RoutedIPJob.container({ image: "registry.example/update-ip:1.4", args: ["assign"] }),
 *     RoutedIPJob.container({ image: "registry.example/update-ip:1.4", args: ["firewall"] }),
 *   ),
 *   secrets: [SecretRef.named("my-cloud")],
 *   allowedNamespaces: ["game"],
 * });
 * app.synth();
 */
export class ClusterRoutedIPClass extends FlipopResource implements IClusterRoutedIPClass {
  /**
   * Facts about the props.
   *
   * @internal
   */
  public static readonly _facts = FACTS;

  /**
   * A class that is defined outside of this app.
   *
   * @param scope parent construct of the reference
   * @param id construct id of the reference
   * @param name the class's name
   */
  public static fromClusterRoutedIPClassName(scope: Construct, id: string, name: string): IClusterRoutedIPClass {
    return new ImportedClass(scope, id, name);
  }

  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public readonly apiObject: ApiObject;

  /**
   * Namespaces whose RoutedIPs may use the class.
   *
   * @default - all namespaces
   */
  public readonly allowedNamespaces?: string[] | undefined;

  constructor(scope: Construct, id: string, props: ClusterRoutedIPClassProps) {
    super(scope, id);
    this.allowedNamespaces = props?.allowedNamespaces;
    this.apiObject = defineResource(this, {
      kind: "ClusterRoutedIPClass",
      props,
      facts: FACTS,
      write: (draft) => writeSpec(props, draft),
    });
  }

  /** The class's name. */
  public get clusterRoutedIpClassName(): string {
    return this.name;
  }
}

class ImportedClass extends Construct implements IClusterRoutedIPClass {
  readonly allowedNamespaces = undefined;
  readonly clusterRoutedIpClassName: string;

  constructor(
    scope: Construct,
    id: string,
    readonly name: string,
  ) {
    super(scope, id);
    this.clusterRoutedIpClassName = name;
  }
}

function writeSpec(props: ClusterRoutedIPClassProps, draft: Draft): ClusterRoutedIPClassSpec {
  const implementation = props.implementation._write(draft.at("implementation"));
  checkUse(props, implementation.issuerRef !== undefined, draft);
  return written({
    ...implementation,
    firewallPostAllow: props.firewallPostAllow,
    nodePortRange: props.nodePorts?._write(draft.at("nodePorts")),
    perNodeIPLimit: props.perNodeIpLimit,
    fromSecretsRef: props.secrets?.map((secret, index) =>
      secret._write(draft.at(`secrets[${index}]`), props.jobNamespace),
    ),
    jobNamespace: props.jobNamespace,
    electedNodeTaint: props.electedNodeTaint && writeTaint(props.electedNodeTaint),
    allowedNamespaces: props.allowedNamespaces,
  });
}

// NoExecute is not in the field's type; the schema's check reports it.
function writeTaint({ key, value, effect }: ElectedNodeTaint): TaintFields {
  return written({ key, value, effect: textOf(effect) as TaintFields["effect"] });
}

/** Refuses props that the implementation ignores. */
function checkUse(props: ClusterRoutedIPClassProps, builtIn: boolean, draft: Draft): void {
  const { firewallPostAllow, jobNamespace, secrets, allowedNamespaces } = props;
  if (!builtIn && firewallPostAllow !== undefined) {
    draft
      .at("firewallPostAllow")
      .refuse(`${firewallPostAllow} has no effect on Jobs, which always assign first: remove it`);
  }
  if (builtIn && secrets !== undefined) {
    draft
      .at("secrets")
      .refuse(
        "have no effect, because only Jobs use them and the class has an issuer: remove them, or use ClassImplementation.jobs",
      );
  }
  if (builtIn && jobNamespace !== undefined) {
    draft
      .at("jobNamespace")
      .refuse(`"${jobNamespace}" has no effect, because only Jobs use it and the class has an issuer: remove it`);
  }
  if (allowedNamespaces?.length === 0) {
    draft
      .at("allowedNamespaces")
      .refuse("is empty, so no RoutedIP may use the class: name a namespace, or remove the prop to allow all");
  }
}
