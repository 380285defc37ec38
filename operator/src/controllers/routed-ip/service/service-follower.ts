/** Follows the Service of one RoutedIP: its endpoints, the nodes that serve it, and its pods for their ports. */

import type { PodScope } from "../../../kube/cache/pod-scopes.js";
import type { PodView } from "../../../kube/cache/pod-view.js";
import { MatchIndex } from "../../../match/match-index.js";
import { EndpointWorkload } from "../../../routing/endpoints.js";
import type { PortPod } from "../../../routing/ports.js";
import type { RoutedIP } from "../../../routing/resource.js";
import type { Routing } from "../../../routing/routing.js";
import { type ServiceFacts, serviceKeyOf } from "../../../routing/service.js";
import { everyNode } from "./every-node.js";

export interface ServiceFollowerProps {
  readonly routing: Routing;
  /** `namespace/name` of the RoutedIP, for the log. */
  readonly key: string;
  /** Something that the RoutedIP is decided by has changed. */
  readonly onChange: () => void;
}

interface Followed {
  readonly service: string;
  readonly workload: EndpointWorkload;
  readonly index: MatchIndex;
}

export class ServiceFollower {
  private followed: Followed | undefined;
  private pods: PodView | undefined;
  private podKey = "";
  private scheme: string | undefined;

  constructor(private readonly props: ServiceFollowerProps) {}

  /** `namespace/name` of the Service that it follows now. */
  get service(): string {
    return this.followed?.service ?? "";
  }

  get index(): MatchIndex | undefined {
    return this.followed?.index;
  }

  /** Follows the Service that the spec names from here on. */
  follow({ metadata, spec }: Pick<RoutedIP, "metadata" | "spec">): void {
    const { routing, onChange } = this.props;
    const service = serviceKeyOf(metadata, spec);
    if (this.followed?.service !== service) {
      this.followed?.index.close();
      const workload = new EndpointWorkload(service, () => routing.slicesFor(service));
      const match = everyNode(this.scheme);
      const index = new MatchIndex(routing.context.nodes, { match, workload }, onChange);
      this.followed = { service, workload, index };
    }
    this.watchPods(routing.service(service));
  }

  /** Nodes of another cloud can't hold the address. @param scheme `AddressCapabilities.providerIdScheme` */
  limitTo(scheme: string): void {
    if (scheme === this.scheme) return;
    this.scheme = scheme;
    const { index, workload } = this.followed ?? {};
    if (workload !== undefined) index?.rematch({ match: everyNode(scheme), workload });
  }

  endpointsChanged(nodes: Iterable<string>): void {
    for (const node of nodes) this.index?.workloadChanged(node);
  }

  servesAt(node: string): boolean {
    return this.followed?.workload.servesAt(node) ?? false;
  }

  /** Those behind the Service; `undefined`: not read yet. */
  podsBehind(): readonly PortPod[] | undefined {
    if (this.podKey === "") return [];
    const store = this.pods?.settled === true ? this.pods.store : undefined;
    return store === undefined ? undefined : [...store.list()];
  }

  async close(): Promise<void> {
    this.followed?.index.close();
    await this.pods?.close();
  }

  private watchPods(service: ServiceFacts | undefined): void {
    const { routing, onChange, key: routedIP } = this.props;
    const wanted = service === undefined ? undefined : podsOf(service, routing.context.settings.podNamespaces);
    const key = wanted === undefined ? "" : JSON.stringify(wanted);
    if (key === this.podKey) return;
    this.podKey = key;
    if (wanted === undefined) return;
    this.pods ??= routing.context.watches.podView(onChange);
    this.pods.select(wanted).then(onChange, (error: unknown) => {
      routing.context.logger.error({ routedIP, error }, "cannot watch the pods of the Service");
    });
  }
}

/** `undefined`: it has no selector, or its pods may not be read; then its hostPorts are not known. */
function podsOf({ namespace, selector }: ServiceFacts, podNamespaces: readonly string[]): PodScope | undefined {
  const reachable = podNamespaces.length === 0 || podNamespaces.includes(namespace);
  return reachable && selector !== undefined ? { namespace, selector: { matchLabels: selector } } : undefined;
}
