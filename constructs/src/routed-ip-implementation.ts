import type { IConstruct } from "constructs";
import type { RoutedIPSpec } from "./api/routed-ip";
import type { IClusterRoutedIPClass } from "./cluster-routed-ip-class";
import { type Site, UNREADABLE } from "./private/draft";
import { CLUSTER_CLASS, ISSUER, isReference } from "./private/references";
import type { IRoutedIPIssuer } from "./routed-ip-issuer";

/** Implementation of a RoutedIP: an issuer in its namespace, or a class. It cannot be changed later. */
export class RoutedIPImplementation {
  /**
   * An issuer in the RoutedIP's own namespace. It has the same effect as a class with default settings.
   *
   * @param issuer the issuer
   */
  public static issuer(issuer: IRoutedIPIssuer): RoutedIPImplementation {
    return new RoutedIPImplementation((site) => {
      if (!isReference(issuer, ISSUER, site)) return { issuerRef: { name: UNREADABLE } };
      checkIssuerNamespace(issuer, site);
      return { issuerRef: { name: issuer.name } };
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
      checkAllowed(clusterClass, site);
      return { className: clusterClass.name };
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

function checkIssuerNamespace({ name, namespace }: IRoutedIPIssuer, site: Site): void {
  const own = site.object.metadata.namespace;
  if (own === undefined || namespace === undefined || own === namespace) return;
  site.refuse(
    `issuer "${name}" is in namespace "${namespace}", the RoutedIP in "${own}": put both into one namespace, or create a ClusterRoutedIPClass for the issuer`,
  );
}

function checkAllowed({ name, allowedNamespaces }: IClusterRoutedIPClass, site: Site): void {
  const own = site.object.metadata.namespace;
  if (own === undefined || allowedNamespaces === undefined || allowedNamespaces.includes(own)) return;
  site.refuse(
    `class "${name}" does not allow namespace "${own}": add it to allowedNamespaces of the class (${allowedNamespaces.join(", ")})`,
  );
}
