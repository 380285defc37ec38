import type { IConstruct } from "constructs";
import type { ClusterRoutedIPClassSpec } from "../api/kinds/cluster-routed-ip-class";
import { checkArguments } from "../private/arguments";
import { ISSUER, isReference } from "../private/check-reference";
import { PART } from "../private/prop-types";
import { type Site, UNREADABLE } from "../private/refusal-collector";
import type { IRoutedIPIssuer } from "./routed-ip-issuer";
import type { RoutedIPJob } from "./routed-ip-job";

/**
 * Implementation of the RoutedIPs of a class: a RoutedIPIssuer, or your own Jobs.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { ClassImplementation, ClusterRoutedIPClass, RoutedIPIssuer } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "classes", { namespace: "flipop" });
 * const issuer = new RoutedIPIssuer(chart, "issuer", { region: "nyc3" });
 * // RoutedIPs of the namespace "game" get their addresses from the account of the issuer.
 * new ClusterRoutedIPClass(chart, "public", {
 *   metadata: { name: "public" },
 *   implementation: ClassImplementation.issuer(issuer),
 *   allowedNamespaces: ["game"],
 * });
 */
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
   * @param updateFirewall sets the firewall rules that the class needs; absent: the operator changes no firewall
   */
  public static jobs(updateRoutedIP: RoutedIPJob, updateFirewall?: RoutedIPJob): ClassImplementation {
    return new ClassImplementation((site) => {
      const shapes = { updateRoutedIP: A_JOB, updateFirewall: MAYBE_A_JOB };
      checkArguments(site, { updateRoutedIP, updateFirewall }, shapes);
      return {
        updateRoutedIP: updateRoutedIP._write(site.below(".updateRoutedIP")),
        ...(updateFirewall && { updateFirewall: updateFirewall._write(site.below(".updateFirewall")) }),
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

const MAYBE_A_JOB = { part: PART.job } as const;
const A_JOB = { ...MAYBE_A_JOB, required: true } as const;

type ImplementationFields = Pick<ClusterRoutedIPClassSpec, "issuerRef" | "updateRoutedIP" | "updateFirewall">;

function writeIssuer(issuer: IRoutedIPIssuer, site: Site): { name: string; namespace: string } {
  if (!isReference(issuer, ISSUER, site)) return { name: UNREADABLE, namespace: UNREADABLE };
  const [name, namespace] = [site.resolved(issuer.name), site.resolved(issuer.namespace)];
  if (namespace === undefined) {
    site.refuse(
      `the namespace of issuer "${name}" is not known: set metadata.namespace of the issuer, the namespace of its chart, or the last argument of RoutedIPIssuer.fromRoutedIPIssuerName`,
    );
  }
  return { name, namespace: namespace ?? UNREADABLE };
}
