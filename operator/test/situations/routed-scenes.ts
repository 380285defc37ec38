/** Scenes of a RoutedIP `default/a` that serves Service `default/web` with an issuer. */

import type { RoutedIPSpec } from "cdk8s-flipop/api";
import { plan } from "../../src/controllers/routed-ip/plan.js";
import type { Snapshot } from "../../src/controllers/routed-ip/snapshot.js";
import type { SlimPod } from "../../src/kube/cache/slim-objects.js";
import { everyNode } from "../../src/match/compile-match.js";
import { MatchIndex } from "../../src/match/match-index.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { refusedNodes } from "../../src/messages/nodes/refused-nodes.js";
import { EndpointWorkload, servicePresence } from "../../src/routing/endpoint-workload.js";
import { type LookUp, type ResolvedIssuerClass, resolveClass } from "../../src/routing/resolved-class.js";
import { ModelWorld } from "../controllers/routed-ip/model-world.js";
import { slimNode } from "../match/cluster.js";
import { type Seen, type Situation, seenIn } from "./situation.js";

export const IP = "203.0.113.7";
type Shown = "Accepted" | "Assigned" | "FirewallReady" | "DNSReady" | "Conflict";

export interface RoutedScene {
  readonly nodes?: readonly string[];
  /** Nodes with a ready pod of the Service. @default the first */
  readonly serving?: readonly string[];
  readonly ports?: readonly number[];
  readonly service?: Parameters<ModelWorld["addService"]>[2] | "missing";
  readonly spec?: Partial<RoutedIPSpec>;
  readonly rules?: Partial<ResolvedIssuerClass>;
  readonly prepare?: (world: ModelWorld) => void;
  readonly change?: (snapshot: Snapshot) => Partial<Snapshot>;
}

function worldOf(scene: RoutedScene): ModelWorld {
  const { nodes = ["node-1", "node-2"], serving = ["node-1"], ports = [443], spec = { routedIP: IP } } = scene;
  const world = new ModelWorld();
  for (const name of nodes) world.addNode(name);
  if (scene.service !== "missing") world.addService("web", ports, scene.service);
  world.serve("web", ...serving);
  world.addFirewall();
  world.addRouted("a", spec, scene.rules);
  scene.prepare?.(world);
  return world;
}

export function routedSeen(scene: RoutedScene, type: Shown = "Assigned"): Seen {
  const snapshot = worldOf(scene).snapshot("a");
  return seenIn(plan({ ...snapshot, ...scene.change?.(snapshot) }), type);
}

/** The class or issuer that the spec names does not resolve. */
export function unresolved(spec: Partial<RoutedIPSpec>, known: Partial<LookUp> = {}): Seen {
  const lookUp: LookUp = { class: () => undefined, issuer: () => undefined, ...known };
  const applicant = { metadata: worldOf({}).get("a").metadata, spec: { serviceRef: { serviceName: "web" }, ...spec } };
  const { problem } = resolveClass(applicant, lookUp);
  if (problem === undefined) throw new Error("the class resolves");
  return routedSeen({ change: () => ({ problem }) });
}

/** No node has an endpoint of the Service, which selects these pods. */
export function withoutEndpoint(pods: readonly SlimPod[]): Seen {
  const presence = () => servicePresence(pods);
  const workload = new EndpointWorkload("default/web", () => [], undefined, { presence });
  const directory = new NodeDirectory([slimNode("node-1")]);
  const index = new MatchIndex(directory, { match: everyNode(undefined), workload }, () => undefined);
  const refusals = refusedNodes(index.tally(), { service: "default/web" });
  return routedSeen({ serving: [], change: () => ({ refusals }) });
}

export function routed(row: Omit<Situation, "kind">): Situation {
  return { kind: "RoutedIP", ...row };
}
