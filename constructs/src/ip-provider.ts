/**
 * The provider of addresses.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { FloatingIPPool, IpProvider } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "web", { namespace: "web" });
 * new FloatingIPPool(chart, "pool", { provider: IpProvider.DIGITALOCEAN, region: "nyc3", desiredIps: 2 });
 */
export class IpProvider {
  /** DigitalOcean reserved IPs. */
  public static readonly DIGITALOCEAN = new IpProvider("digitalocean");

  /**
   * A provider by its name in the operator. Synthesis does not check the name. If the operator does not know the
   * provider, the resource gets a condition with reason UnknownProvider.
   *
   * @param name the provider's name, such as `digitalocean`
   */
  public static of(name: string): IpProvider {
    return new IpProvider(name);
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "IpProvider";

  private constructor(private readonly providerName: string) {}

  /** The provider's name, as in the resource. */
  public get name(): string {
    return this.providerName;
  }
}
