/** The provider whose addresses are used. */
export class IpProvider {
  /** DigitalOcean reserved IPs. */
  public static readonly DIGITALOCEAN = new IpProvider("digitalocean");

  /**
   * A provider by its name in the operator. A name that the operator does not know is found out only in the cluster:
   * the resource gets a condition with reason UnknownProvider.
   *
   * @param name the provider's name, such as `digitalocean`
   */
  public static of(name: string): IpProvider {
    return new IpProvider(name);
  }

  private constructor(
    /** The provider's name, as it stands in the resource. */
    public readonly name: string,
  ) {}
}
