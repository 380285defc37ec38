/** Follows the Service of one RoutedIP: its endpoints, the nodes that serve it, and its pods for their ports; and what a plan reads of it. */

import { refusalsOf } from "../../addresses/unavailable-nodes.js";
import { markHolders, nodesOf as probedNodesOf } from "../../health/probes-for-controllers.js";
import type { ResourceHealth } from "../../health/resource-health.js";
import type { ResourceRef } from "../../inventory/view.js";
import type { PodScope, PodView } from "../../kube/cache/pods.js";
import type { SlimPod } from "../../kube/cache/slim-objects.js";
import type { StoreEvent } from "../../kube/cache/store.js";
import type { ProbeFailures, Refusal } from "../../match/checks.js";
import { everyNode } from "../../match/compile-match.js";
import { hasOnlyNewTaints } from "../../match/match-feed.js";
import { MatchIndex, type VerdictChange } from "../../match/match-index.js";
import { isElectionTaint, keepsPodsAway } from "../../match/node-facts.js";
import { type Presence, podAddress } from "../../match/node-workload.js";
import type { Problem } from "../../messages/message.js";
import type { MarkKeys } from "../../messages/nodes/refused-nodes.js";
import type { AddressCapabilities, MachineIds, ProviderId } from "../../providers/types.js";
import { EndpointWorkload, isDown, servicePresence } from "../../routing/endpoint-workload.js";
import { isClosed, NO_PORTS, opensSomewhere, type PortPod, portlessPod, portsOf } from "../../routing/needed-ports.js";
import { withinAccess, withinStatus } from "../../routing/port-access.js";
import type { RoutedIP } from "../../routing/read-resources.js";
import type { ResolvedClass } from "../../routing/resolved-class.js";
import { asReached, type ServiceFacts, serviceKeyOf, serviceProblem } from "../../routing/service.js";
import type { RoutingCaches } from "../../routing/shared-caches.js";
import { omitUndefined } from "../../values.js";
import type { Snapshot } from "./snapshot.js";

export interface ServiceFollowerProps {
  readonly routing: RoutingCaches;
  /** `namespace/name` of the RoutedIP, for the log. */
  readonly key: string;
  /** Whether a change of the operator's own taints on a node can matter to the RoutedIP. */
  readonly mindsTaintsOn: (node: string) => boolean;
  /** Something that the RoutedIP is decided by has changed. */
  readonly onChange: () => void;
  /** Absent: no node is probed. */
  readonly probes?: ProbeFailures;
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
  /** Whether any of the pods opened a port of the Service when the nodes were last looked at for that. */
  private opens = false;
  private machines: MachineIds | undefined;
  private reached = (service: ServiceFacts): ServiceFacts => service;

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
    const { routing, probes } = this.props;
    const service = serviceKeyOf(metadata, spec);
    if (this.followed?.service !== service) {
      this.followed?.index.close();
      const slices = () => routing.slicesFor(service);
      const workload = new EndpointWorkload(service, slices, (node) => this.podAddress(node), {
        presence: () => this.presence(),
        closedOn: (node) => this.closedOn(service, node),
        podOf: (pod) => this.podsRead?.get(pod),
      });
      const match = everyNode(this.machines);
      const index = new MatchIndex(
        routing.context.nodes,
        { match, workload },
        (change) => this.noteNode(change),
        probes,
      );
      this.followed = { service, workload, index };
      this.opens = this.opensNow();
    }
    this.watchPods(routing.service(service));
  }

  /** The Service that it follows now, as packets reach it. */
  get followedService(): ServiceFacts | undefined {
    const service = this.props.routing.service(this.service);
    return service && this.reached(service);
  }

  /** Nodes of another cloud can't hold the address. @param isProviders whether an address is one of the provider */
  limitTo(machines: AddressCapabilities, isProviders: (ip: string) => boolean): void {
    this.reached = (service) => asReached(service, machines, isProviders);
    const { externalIPs = [] } = this.props.routing.service(this.service) ?? {};
    if (externalIPs.length > 0 && this.opensNow() !== this.opens) this.serviceChanged();
    if (machines.providerIdScheme === this.machines?.providerIdScheme) return;
    this.machines = machines;
    const { index, workload } = this.followed ?? {};
    if (workload !== undefined) index?.rematch({ match: everyNode(machines), workload });
  }

  endpointsChanged(nodes: Iterable<string> = this.followed?.workload.nodes() ?? []): void {
    for (const node of nodes) this.index?.workloadChanged(node);
  }

  /** Where some of its pods open a port, or did, that matters to every node. */
  serviceChanged(): void {
    const opened = this.opens;
    this.opens = this.opensNow();
    if (opened || this.opens) this.endpointsChanged();
  }

  /** On its own node, and on all where the first or last pod with an open port has come or gone. */
  private podChanged(event: StoreEvent<SlimPod>): void {
    if (this.opensNow() !== this.opens) this.serviceChanged();
    const before = event.type === "updated" ? event.old.nodeName : undefined;
    this.endpointsChanged([event.object.nodeName, before].flatMap((node) => node ?? []));
    this.props.onChange();
  }

  private opensNow(): boolean {
    const service = this.followedService;
    return service !== undefined && opensSomewhere(service, this.pods?.store?.list() ?? []);
  }

  servesAt(node: string): boolean {
    const pods = this.podsOf(this.service, node);
    const isReached = pods === undefined || !isClosed(pods.service, pods.here, pods.all);
    return isReached && this.followed?.workload.servesAt(node) === true;
  }

  unreadyOn(node: string): boolean {
    return this.followed?.workload.unreadyOn(node) === true;
  }

  podlessOn(node: string): string | undefined {
    return this.followed?.workload.podlessOn(node);
  }

  /** Those behind the Service; `undefined`: not read yet. */
  podsBehind(): readonly PortPod[] | undefined {
    if (this.podKey === "") return [];
    return this.podsRead && [...this.podsRead.list()];
  }

  private presence(): Presence {
    const store = this.podKey === "" ? undefined : this.podsRead;
    return store === undefined ? { pods: "unknown" } : servicePresence([...store.list()]);
  }

  /** A pod without an open port, where others have one. */
  private closedOn(key: string, node: string): SlimPod | undefined {
    const pods = this.podsOf(key, node);
    return pods && portlessPod(pods.service, pods.here, pods.all);
  }

  /** `undefined`: not read yet. */
  private podsOf(key: string, node: string) {
    const [service, store] = [this.props.routing.service(key), this.podsRead];
    if (service === undefined || store === undefined) return undefined;
    return { service: this.reached(service), here: [...store.byIndex("node", node)], all: store.list() };
  }

  private podAddress(node: string): string | undefined {
    return this.podsRead && podAddress([...this.podsRead.byIndex("node", node)]);
  }

  private get podsRead() {
    return this.pods?.settled === true ? this.pods.store : undefined;
  }

  async close(): Promise<void> {
    this.followed?.index.close();
    await this.pods?.close();
  }

  /** Each of 200 RoutedIPs taints a node when they start, and only two of them need to look at it. */
  private noteNode(change: VerdictChange): void {
    const { mindsTaintsOn, onChange } = this.props;
    if (!hasOnlyNewTaints(change) || mindsTaintsOn(change.name)) onChange();
  }

  private watchPods(service: ServiceFacts | undefined): void {
    const { routing, onChange, key: routedIP } = this.props;
    const wanted = service === undefined ? undefined : podsOf(service, routing.context.settings.podNamespaces);
    const key = wanted === undefined ? "" : JSON.stringify(wanted);
    if (key === this.podKey) return;
    this.podKey = key;
    if (wanted === undefined) return;
    this.pods ??= routing.context.watches.podView((event) => this.podChanged(event));
    const settled = () => {
      this.opens = this.opensNow();
      // The verdicts from before have only the names of the pods.
      this.endpointsChanged();
      onChange();
    };
    this.pods.select(wanted).then(settled, (error: unknown) => {
      routing.context.logger.error({ routedIP, error }, "cannot watch the pods of the Service");
    });
  }
}

/** `undefined`: it has no selector, or its pods may not be read; then its hostPorts are not known. */
function podsOf({ namespace, selector }: ServiceFacts, podNamespaces: readonly string[]): PodScope | undefined {
  const reachable = podNamespaces.length === 0 || podNamespaces.includes(namespace);
  return reachable && selector !== undefined ? { namespace, selector: { matchLabels: selector } } : undefined;
}

interface FollowerState {
  readonly ref: ResourceRef;
  readonly memory: { readonly follower: ServiceFollower; readonly health?: ResourceHealth };
}

/** @param holders machines that hold its address now */
export function nodesOf(
  { follower, health }: FollowerState["memory"],
  { spec }: Pick<RoutedIP, "spec">,
  holders: readonly ProviderId[],
): Pick<Snapshot, "candidates" | "verdictOf" | "refusals" | "refusalsIn" | "servesAt" | "unreadyOn" | "podlessOn"> {
  const { index } = follower;
  markHolders(health, spec.healthCheck, () => probedNodesOf(holders, (machine) => index?.verdictOfMachine(machine)));
  return {
    candidates: index?.candidates() ?? [],
    verdictOf: (machine) => index?.verdictOfMachine(machine),
    ...refusalsOf(index, { service: follower.service }, index && electedTaintOn(index, holders)),
    servesAt: (node) => follower.servesAt(node) && !isDown(index?.verdict(node)),
    unreadyOn: (node) => follower.unreadyOn(node),
    podlessOn: (node) => follower.podlessOn(node),
  };
}

/** The taint that may keep pods off holders that have none. */
function electedTaintOn(index: MatchIndex, holders: readonly ProviderId[]): Pick<MarkKeys, "electedTaint"> {
  const verdicts = holders.flatMap((machine) => index.verdictOfMachine(machine) ?? []);
  const [first] = verdicts.flatMap(({ node, refusals }) => {
    const [taint] = (node.ownTaints ?? []).filter((each) => isElectionTaint(each) && keepsPodsAway(each));
    return taint !== undefined && refusals.some(isOfPod) ? [{ key: taint.key, nodes: [node.name] }] : [];
  });
  return omitUndefined({ electedTaint: first });
}

const isOfPod = ({ reason }: Pick<Refusal, "reason">) => reason === "NoPod";

interface Holding {
  readonly routed: RoutedIP;
  readonly holders: readonly ProviderId[];
}

/** What may keep the address on a holder that has failed. */
export function safeguardsOf(
  { holders: registry, moveLimits }: RoutingCaches["context"],
  uid: string,
  { routed, holders, verdictOf }: Pick<Snapshot, "verdictOf"> & Holding,
): Pick<Snapshot, "massFailures" | "moveAllowance"> {
  return omitUndefined({
    massFailures: registry?.observe({ uid, conditions: routed.status.conditions }, holders, verdictOf),
    moveAllowance: moveLimits.allowance(uid, 0),
  });
}

interface Served {
  readonly routed: RoutedIP;
  readonly problem: Problem | undefined;
  readonly resolvedClass: ResolvedClass | undefined;
}

export function servedBy(
  routing: RoutingCaches,
  { follower }: FollowerState["memory"],
  { routed, problem, resolvedClass }: Served,
): Pick<Snapshot, "cachesComplete" | "leadsSince" | "portsOn"> {
  const pods = follower.podsBehind();
  const service = follower.followedService;
  const { ports: last } = routed.status;
  return {
    cachesComplete: routing.context.leads() && routing.synced && pods !== undefined,
    ...omitUndefined({ leadsSince: routing.context.leadsSince() }),
    portsOn: (nodes) => {
      if (service === undefined || problem !== undefined || resolvedClass === undefined) return NO_PORTS;
      const found = withinAccess(portsOf(service, pods ?? [], { nodes, last }), resolvedClass, last);
      return withinStatus(found, `${service.namespace}/${service.name}`);
    },
  };
}

export function problemOfService(routing: RoutingCaches, { memory, ref }: FollowerState): Problem | undefined {
  const key = memory.follower.service;
  return serviceProblem({ key, namespace: ref.namespace, service: routing.service(key) });
}
