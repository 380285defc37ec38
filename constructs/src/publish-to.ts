import type { PublicationKind, Publication as PublicationSpec } from "./api/publication";
import { checkArguments } from "./private/arguments";
import { written } from "./private/field-values";
import { PART } from "./private/prop-types";
import type { Site } from "./private/refusal-collector";

/**
 * An object whose status shows the active addresses of a FloatingIPPool or a RoutedIP.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { FloatingIPPool, Publication } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "ingress", { namespace: "ingress" });
 * new FloatingIPPool(chart, "pool", {
 *   metadata: { name: "ingress" },
 *   ips: ["192.0.2.10"],
 *   publishTo: [Publication.service("ingress")],
 * });
 */
export class Publication {
  /**
   * A Service of type LoadBalancer, with loadBalancerClass `flipop.digitalocean.com/reserved-ip`. The operator writes the
   * addresses to its `status.loadBalancer`.
   *
   * @param name the Service's name; it is in the namespace of the resource
   */
  public static service(name: string): Publication {
    return new Publication("Service", name);
  }

  /**
   * A Gateway of `gateway.networking.k8s.io/v1` with the annotation `flipop.digitalocean.com/publish-addresses: "true"`. The
   * operator writes the addresses to its `status.addresses`, unless the Gateway's own controller writes addresses there.
   *
   * @param name the Gateway's name; it is in the namespace of the resource
   */
  public static gateway(name: string): Publication {
    return new Publication("Gateway", name);
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "Publication";

  private constructor(
    private readonly kind: PublicationKind,
    private readonly target: string,
  ) {}

  /**
   * The entry of `publishTo`.
   *
   * @internal
   */
  public _write(site: Site): PublicationSpec {
    const { name } = checkArguments(site, { name: this.target }, {
      name: { part: PART.text, required: true },
    } as const);
    return written({ kind: this.kind, name });
  }
}
