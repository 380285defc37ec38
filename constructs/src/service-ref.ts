import type { IConstruct } from "constructs";
import { Annotation } from "./api/names";
import type { ServiceReference } from "./api/routed-ip";
import { checkArguments } from "./private/arguments";
import { type Site, UNREADABLE } from "./private/draft";
import { isCore, type Manifest, nameOf, objectAt, readManifest } from "./private/manifest";
import { PART } from "./private/part";
import { written } from "./private/written";

const INSTEAD = "give the construct of a Service, or use ServiceRef.named";

/** The Service whose nodes an address follows. */
export class ServiceRef {
  /**
   * A Service of the same app, from any cdk8s-plus version or as a plain ApiObject. If the Service is in another
   * namespace than the RoutedIP, its annotation `flipop.digitalocean.com/allow-routed-ip-from` must list the RoutedIP's
   * namespace.
   *
   * @param service the construct of the Service
   */
  public static of(service: IConstruct): ServiceRef {
    return new ServiceRef((site) => readService(service, site), [service]);
  }

  /**
   * A Service that is defined outside of this app. If the Service is in another namespace than the RoutedIP, its
   * annotation `flipop.digitalocean.com/allow-routed-ip-from` must list the RoutedIP's namespace.
   *
   * @param name the Service's name
   * @param namespace the Service's namespace; by default the RoutedIP's own
   */
  public static named(name: string, namespace?: string): ServiceRef {
    return new ServiceRef((site) => {
      const shapes = { name: { part: PART.text, required: true }, namespace: { part: PART.text } } as const;
      checkArguments(site, { name, namespace }, shapes);
      return written({ serviceName: name, namespace });
    });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "ServiceRef";

  private constructor(
    private readonly render: (site: Site) => ServiceReference,
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
   * @internal
   */
  public _write(site: Site): ServiceReference {
    return this.render(site);
  }
}

function readService(service: IConstruct, site: Site): ServiceReference {
  const manifest = readManifest(service, site, INSTEAD);
  if (!manifest) return { serviceName: UNREADABLE };
  const { namespace, title, json } = manifest;
  if (!isCore(manifest, "Service")) site.refuse(`${title} is not a Service: ${INSTEAD}`);
  if (objectAt(json, "spec").type === "ExternalName") {
    site.refuse(`${title} is of type ExternalName and thus has no nodes: give a Service with a selector`);
  }
  checkConsent(manifest, site);
  const own = site.object.metadata.namespace;
  return written({ serviceName: nameOf(manifest, site), namespace: namespace === own ? undefined : namespace });
}

/** The operator follows a Service of another namespace only with the permission of the Service's owner. */
function checkConsent({ json, namespace, title }: Manifest, site: Site): void {
  const own = site.object.metadata.namespace;
  if (own === undefined || namespace === undefined || own === namespace) return;
  const allowed = objectAt(json, "metadata", "annotations")[Annotation.allowRoutedIpFrom];
  const namespaces = typeof allowed === "string" ? allowed.split(",").map((entry) => entry.trim()) : [];
  if (namespaces.includes(own)) return;
  site.refuse(
    `${title} of namespace "${namespace}" does not allow namespace "${own}": annotate it with ${Annotation.allowRoutedIpFrom}: ${[...namespaces, own].join(",")}`,
  );
}
