import type { IConstruct } from "constructs";
import { checkArguments } from "./private/arguments";
import { PART } from "./private/prop-types";
import { type Site, UNREADABLE } from "./private/refusal-collector";
import { readSecret, type SecretFacts } from "./private/secret";

/**
 * A Secret whose entries become environment variables of Jobs. It must be in the namespace of the Jobs.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { ClassImplementation, ClusterRoutedIPClass, RoutedIPJob, SecretRef } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "classes");
 * const job = RoutedIPJob.container({ image: "registry.example/update-ip:1.4" });
 * new ClusterRoutedIPClass(chart, "custom", {
 *   metadata: { name: "custom" },
 *   implementation: ClassImplementation.jobs(job, job),
 *   // The Jobs get the entries of this Secret as environment variables.
 *   secrets: [SecretRef.fromSecretName("my-cloud")],
 * });
 */
export class SecretRef {
  /**
   * A Secret of the same app, from any cdk8s-plus version or as a plain ApiObject.
   *
   * @param secret the construct of the Secret
   */
  public static fromSecret(secret: IConstruct): SecretRef {
    return new SecretRef((site) => readSecret(secret, site), [secret]);
  }

  /**
   * A Secret that is defined outside of this app.
   *
   * @param name the Secret's name
   */
  public static fromSecretName(name: string): SecretRef {
    return new SecretRef((site) => {
      return { name: checkArguments(site, { name }, { name: { part: PART.text, required: true } }).name };
    });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "SecretRef";

  private constructor(
    private readonly read: (site: Site) => SecretFacts | undefined,
    /**
     * Constructs that this object refers to.
     *
     * @internal
     */
    public readonly _references: readonly IConstruct[] = [],
  ) {}

  /**
   * The reference in a spec.
   *
   * @param namespace namespace of the Jobs, if known
   * @internal
   */
  public _write(site: Site, namespace: string | undefined): { readonly name: string } {
    const { name, namespace: own } = this.read(site) ?? { name: UNREADABLE };
    if (namespace !== undefined && own !== undefined && namespace !== own) {
      site.refuse(
        `Secret "${name}" is in namespace "${own}", but the Jobs run in "${namespace}": put the Secret there`,
      );
    }
    return { name };
  }
}
