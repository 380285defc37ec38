import type { IConstruct } from "constructs";
import type { SecretKeyReference } from "./api/kinds/routed-ip-issuer";
import { checkArguments } from "./private/arguments";
import { written } from "./private/field-values";
import { PART } from "./private/prop-types";
import { type Site, UNREADABLE } from "./private/refusal-collector";
import { readSecret, type SecretFacts } from "./private/secret";
import { holdsToken, TOKEN_REFUSED } from "./private/tokens";

/**
 * A reference to a provider's token, which is an entry of a Secret. No manifest contains the token itself.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { Credentials, FlipopOperator } from "cdk8s-flipop";
 *
 * new FlipopOperator(new Chart(new App(), "flipop"), "operator", {
 *   digitalOcean: Credentials.fromSecretName("clouds", "digitalocean"),
 *   cloudflare: Credentials.fromSecretName("clouds", "cloudflare"),
 * });
 */
export class Credentials {
  /**
   * The entry of a Secret of the same app, from any cdk8s-plus version or as a plain ApiObject. The Secret must be in
   * the namespace of the object that uses it.
   *
   * @param secret the construct of the Secret
   * @param key key of the entry; by default the name of the provider's environment variable, such as
   * `DIGITALOCEAN_ACCESS_TOKEN`
   */
  public static fromSecret(secret: IConstruct, key?: string): Credentials {
    return new Credentials((site) => readSecret(secret, site), key, [secret]);
  }

  /**
   * The entry of a Secret that is defined outside of this app.
   *
   * @param name the Secret's name
   * @param key key of the entry; by default the name of the provider's environment variable, such as
   * `DIGITALOCEAN_ACCESS_TOKEN`
   */
  public static fromSecretName(name: string, key?: string): Credentials {
    return new Credentials((site) => {
      return { name: checkArguments(site, { name }, { name: { part: PART.text, required: true } }).name };
    }, key);
  }

  /**
   * A file with the token in the operator's pods, which something else mounts, such as an injector of secrets or a CSI
   * driver. The operator reads it every 10 seconds. A RoutedIPIssuer cannot use it.
   *
   * @param path absolute path of the file
   */
  public static fromFile(path: string): Credentials {
    const noSecret = (site: Site): undefined => {
      site.refuse("a file is only for the operator's own tokens: give Credentials.fromSecretName(...)");
    };
    return new Credentials(noSecret, undefined, [], path);
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "Credentials";

  private constructor(
    private readonly read: (site: Site) => SecretFacts | undefined,
    private readonly key: string | undefined,
    /**
     * Constructs that this object refers to.
     *
     * @internal
     */
    public readonly _references: readonly IConstruct[] = [],
    private readonly path?: string,
  ) {}

  /**
   * The path of the file with the token; undefined for a Secret.
   *
   * @internal
   */
  public _file(site: Site): string | undefined {
    const { path } = checkArguments(site, { path: this.path }, { path: { part: PART.text } });
    if (path !== undefined && !path.startsWith("/")) {
      site.refuse(`"${path}" is not an absolute path: give one such as /vault/secrets/token`);
    }
    return path;
  }

  /**
   * The reference in a spec, to a Secret in the namespace of the object.
   *
   * @param defaultKey the entry to read if no key was given
   * @internal
   */
  public _write(site: Site, defaultKey: string | undefined): SecretKeyReference {
    const { key } = checkArguments(site, { key: this.key }, { key: { part: PART.text } });
    const facts = this.read(site);
    if (holdsToken(facts?.name ?? "") || holdsToken(key ?? "")) {
      site.refuse(TOKEN_REFUSED);
      return { name: UNREADABLE };
    }
    if (facts) {
      checkNamespace(facts, site);
      checkEntry(facts, key ?? defaultKey, site);
    }
    return written({ name: facts?.name ?? UNREADABLE, key });
  }
}

function checkNamespace({ name, namespace }: SecretFacts, site: Site): void {
  const own = site.namespace;
  if (namespace === undefined || own === undefined || namespace === own) return;
  site.refuse(
    `Secret "${name}" is in namespace "${namespace}", but the ${site.object.kind} can use only Secrets of its own namespace "${own}": put both into one namespace`,
  );
}

function checkEntry({ name, entries }: SecretFacts, key: string | undefined, site: Site): void {
  if (!entries || key === undefined || entries.includes(key)) return;
  site.refuse(`Secret "${name}" has no entry "${key}": give the key of the token, one of ${entries.join(", ")}`);
}
