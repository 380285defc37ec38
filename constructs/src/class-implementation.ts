import type { IConstruct } from "constructs";
import type { ClusterRoutedIPClassSpec } from "./api/cluster-routed-ip-class";
import { checkArguments } from "./private/arguments";
import { type Site, UNREADABLE } from "./private/draft";
import { PART } from "./private/part";
import { ISSUER, isReference } from "./private/references";
import type { IRoutedIPIssuer } from "./routed-ip-issuer";
import type { RoutedIPJob } from "./routed-ip-job";

/** Implementation of the RoutedIPs of a class: a RoutedIPIssuer, or your own Jobs. */
export class ClassImplementation {
  /**
   * Built-in implementation: the operator uses the account of a RoutedIPIssuer, which may be in any namespace.
   *
   * @param issuer the issuer; synthesis fails if its namespace is not known
   */
  public static issuer(issuer: IRoutedIPIssuer): ClassImplementation {
    return new ClassImplementation((site) => ({ issuerRef: writeIssuer(issuer, site) }), [issuer]);
  }

  /**
   * Custom implementation: Jobs for any platform. The operator runs them only with feature `jobs`, which is disabled by
   * default.
   *
   * @param updateRoutedIP assigns an address, and creates one if the RoutedIP has none
   * @param updateFirewall sets the firewall rules that the class needs
   */
  public static jobs(updateRoutedIP: RoutedIPJob, updateFirewall: RoutedIPJob): ClassImplementation {
    return new ClassImplementation((site) => {
      checkArguments(site, { updateRoutedIP, updateFirewall }, { updateRoutedIP: A_JOB, updateFirewall: A_JOB });
      return {
        updateRoutedIP: updateRoutedIP._write(site.below(".updateRoutedIP")),
        updateFirewall: updateFirewall._write(site.below(".updateFirewall")),
      };
    });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "ClassImplementation";

  private constructor(
    private readonly render: (site: Site) => ImplementationFields,
    /**
     * Constructs that this object refers to.
     *
     * @internal
     */
    public readonly _references: readonly IConstruct[] = [],
  ) {}

  /**
   * The fields of a spec.
   *
   * @internal
   */
  public _write(site: Site): ImplementationFields {
    return this.render(site);
  }
}

const A_JOB = { part: PART.job, required: true } as const;

type ImplementationFields = Pick<ClusterRoutedIPClassSpec, "issuerRef" | "updateRoutedIP" | "updateFirewall">;

function writeIssuer(issuer: IRoutedIPIssuer, site: Site): { name: string; namespace: string } {
  if (!isReference(issuer, ISSUER, site)) return { name: UNREADABLE, namespace: UNREADABLE };
  const { name, namespace } = issuer;
  if (namespace === undefined) {
    site.refuse(
      `the namespace of issuer "${name}" is not known: set metadata.namespace of the issuer, the namespace of its chart, or the last argument of RoutedIPIssuer.fromRoutedIPIssuerName`,
    );
  }
  return { name, namespace: namespace ?? UNREADABLE };
}
