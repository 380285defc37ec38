import type { IConstruct } from "constructs";
import type { RoutedIPSpec } from "../api/kinds/routed-ip";
import { CLUSTER_CLASS, ISSUER, isReference } from "../private/check-reference";
import { type Site, UNREADABLE } from "../private/refusal-collector";
import type { IClusterRoutedIPClass } from "./cluster-routed-ip-class";
import type { IRoutedIPIssuer } from "./routed-ip-issuer";

/**
 * Implementation of a RoutedIP: an issuer in its namespace, or a class. It cannot be changed later.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { ClusterRoutedIPClass, RoutedIP, RoutedIPImplementation, ServiceRef } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "game", { namespace: "game" });
 * // Another app defines the class and the Service.
 * const publicClass = ClusterRoutedIPClass.fromClusterRoutedIPClassName(chart, "class", "public");
 * new RoutedIP(chart, "address", {
 *   metadata: { name: "game" },
 *   implementation: RoutedIPImplementation.clusterClass(publicClass),
 *   service: ServiceRef.fromServiceName("game"),
 * });
 */
export class RoutedIPImplementation {
  /**
   * An issuer in the RoutedIP's own namespace. It has the same effect as a class with default settings.
   *
   * @param issuer the issuer
   */
  public static issuer(issuer: IRoutedIPIssuer): RoutedIPImplementation {
    return new RoutedIPImplementation((site) => {
      if (!isReference(issuer, ISSUER, site)) return { issuerRef: { name: UNREADABLE } };
      const name = site.resolved(issuer.name);
      checkIssuerNamespace(name, { namespace: site.resolved(issuer.namespace), site });
      return { issuerRef: { name } };
    }, issuer);
  }

  /**
   * A ClusterRoutedIPClass. If it has `allowedNamespaces`, these must contain the RoutedIP's namespace.
   *
   * @param clusterClass the class
   */
  public static clusterClass(clusterClass: IClusterRoutedIPClass): RoutedIPImplementation {
    return new RoutedIPImplementation((site) => {
      if (!isReference(clusterClass, CLUSTER_CLASS, site)) return { className: UNREADABLE };
      const name = site.resolved(clusterClass.clusterRoutedIpClassName);
      checkAllowed(name, { allowedNamespaces: site.resolved(clusterClass.allowedNamespaces), site });
      return { className: name };
    }, clusterClass);
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "RoutedIPImplementation";

  private constructor(
    private readonly render: (site: Site) => Pick<RoutedIPSpec, "className" | "issuerRef">,
    private readonly reference: IConstruct,
  ) {}

  /**
   * Constructs that this object refers to.
   *
   * @internal
   */
  public get _references(): readonly IConstruct[] {
    return [this.reference];
  }

  /**
   * The fields of a spec.
   *
   * @internal
   */
  public _write(site: Site): Pick<RoutedIPSpec, "className" | "issuerRef"> {
    return this.render(site);
  }
}

interface IssuerPlace {
  readonly namespace: string | undefined;
  readonly site: Site;
}

function checkIssuerNamespace(name: string, { namespace, site }: IssuerPlace): void {
  const own = site.namespace;
  if (own === undefined || namespace === undefined || own === namespace) return;
  site.refuse(
    `issuer "${name}" is in namespace "${namespace}", the RoutedIP in "${own}": put both into one namespace, or create a ClusterRoutedIPClass for the issuer`,
  );
}

interface ClassUse {
  readonly allowedNamespaces: readonly string[] | undefined;
  readonly site: Site;
}

function checkAllowed(name: string, { allowedNamespaces, site }: ClassUse): void {
  const own = site.namespace;
  if (own === undefined || allowedNamespaces === undefined || allowedNamespaces.includes(own)) return;
  site.refuse(
    `class "${name}" does not allow namespace "${own}": add it to allowedNamespaces of the class (${allowedNamespaces.join(", ")})`,
  );
}
