import type { IConstruct } from "constructs";
import { checkArguments } from "./private/arguments";
import { type Site, UNREADABLE } from "./private/draft";
import { PART } from "./private/part";
import { readSecret, type SecretFacts } from "./private/secret";

/** A Secret whose entries become environment variables of Jobs. It must be in the namespace of the Jobs. */
export class SecretRef {
  /**
   * A Secret of the same app, from any cdk8s-plus version or as a plain ApiObject.
   *
   * @param secret the construct of the Secret
   */
  public static of(secret: IConstruct): SecretRef {
    return new SecretRef((site) => readSecret(secret, site), [secret]);
  }

  /**
   * A Secret that is defined outside of this app.
   *
   * @param name the Secret's name
   */
  public static named(name: string): SecretRef {
    return new SecretRef((site) => {
      checkArguments(site, { name }, { name: { part: PART.text, required: true } });
      return { name };
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
