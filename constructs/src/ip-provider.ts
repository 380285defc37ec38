/** The cloud whose addresses are used. */
export class IpProvider {
  /** DigitalOcean reserved IPs. */
  public static readonly DIGITALOCEAN = new IpProvider("digitalocean");

  /**
   * A provider by the name that the operator knows it by.
   *
   * @param name such as `digitalocean`
   */
  public static of(name: string): IpProvider {
    return new IpProvider(name);
  }

  private constructor(
    /** The provider's name, as it stands in the resource. */
    public readonly name: string,
  ) {}
}
