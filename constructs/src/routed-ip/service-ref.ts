import type { IConstruct } from "constructs";
import type { ServiceReference } from "../api/kinds/routed-ip";
import { Annotation } from "../api/names";
import { checkArguments } from "../private/arguments";
import { written } from "../private/field-values";
import { isCore, type Manifest, nameOf, objectAt, readManifest } from "../private/manifest";
import { PART } from "../private/prop-types";
import { type Site, UNREADABLE } from "../private/refusal-collector";

const INSTEAD = "give the construct of a Service, or use ServiceRef.fromServiceName";

/**
 * The Service whose nodes an address follows.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { RoutedIP, RoutedIPImplementation, RoutedIPIssuer, ServiceRef } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "voice", { namespace: "voice" });
 * const issuer = RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "digitalocean");
 * new RoutedIP(chart, "address", {
 *   metadata: { name: "gateway" },
 *   implementation: RoutedIPImplementation.issuer(issuer),
 *   service: ServiceRef.fromServiceName("gateway"),
 * });
 */
export class ServiceRef {
  /**
   * A Service of the same app, from any cdk8s-plus version or as a plain ApiObject. If the Service is in another
   * namespace than the RoutedIP, its annotation `flipop.digitalocean.com/allow-routed-ip-from` must list the RoutedIP's
   * namespace.
   *
   * @param service the construct of the Service
   */
  public static fromService(service: IConstruct): ServiceRef {
    return new ServiceRef((site) => readService(service, site), [service]);
  }

  /**
   * A Service that is defined outside of this app. If the Service is in another namespace than the RoutedIP, its
   * annotation `flipop.digitalocean.com/allow-routed-ip-from` must list the RoutedIP's namespace.
   *
   * @param name the Service's name
   * @param namespace the Service's namespace; by default the RoutedIP's own
   */
  public static fromServiceName(name: string, namespace?: string): ServiceRef {
    return new ServiceRef((site) => {
      const shapes = { name: { part: PART.text, required: true }, namespace: { part: PART.text } } as const;
      const given = checkArguments(site, { name, namespace }, shapes);
      return written({ serviceName: given.name, namespace: given.namespace });
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
  const { namespace, title } = manifest;
  if (!isCore(manifest, "Service")) site.refuse(`${title} is not a Service: ${INSTEAD}`);
  checkNodes(manifest, site);
  checkConsent(manifest, site);
  const own = site.namespace;
  return written({ serviceName: nameOf(manifest, site), namespace: namespace === own ? undefined : namespace });
}

/** Refuses Services whose traffic does not go through nodes. */
function checkNodes({ json, title }: Manifest, site: Site): void {
  const { clusterIP, type } = objectAt(json, "spec");
  if (type === "ExternalName") {
    site.refuse(`${title} is of type ExternalName and thus has no nodes: give a Service with a selector`);
  } else if (clusterIP === "None") {
    site.refuse(`${title} is headless, so the operator does not follow it: give a Service with a cluster IP`);
  }
}

/** The operator follows a Service of another namespace only with the permission of the Service's owner. */
function checkConsent({ json, namespace, title }: Manifest, site: Site): void {
  const own = site.namespace;
  if (own === undefined || namespace === undefined || own === namespace) return;
  const allowed = objectAt(json, "metadata", "annotations")[Annotation.allowRoutedIpFrom];
  const namespaces = typeof allowed === "string" ? allowed.split(",").map((entry) => entry.trim()) : [];
  if (namespaces.includes(own)) return;
  site.refuse(
    `${title} of namespace "${namespace}" does not allow namespace "${own}": annotate it with ${Annotation.allowRoutedIpFrom}: ${[...namespaces, own].join(",")}`,
  );
}
