/** Services that answer at a node only if one of their pods runs there, while a pool gives its addresses to any node. */

import type { KubeObject } from "../../kube/objects.js";
import { FIX } from "../../messages/message.js";
import { type SliceFacts, slimSlices } from "../../routing/endpoint-workload.js";
import { type ServiceFacts, slimServices } from "../../routing/service.js";
import { compareText, listed } from "../../values.js";
import { listMapped, unlessRefused } from "../list-objects.js";
import type { PodReader } from "./pods.js";

/** Lines that one resource may have. */
const LINES = 3;

/** @param holders nodes with an address of the pool */
export async function localServiceNotes(
  { client, signal }: PodReader,
  namespace: string,
  holders: readonly string[],
): Promise<readonly string[]> {
  if (holders.length === 0) return [];
  const services = { path: `/api/v1/namespaces/${namespace}/services` };
  const local = (await unlessRefused(listMapped({ client, signal, target: services }, localService))) ?? [];
  if (local.flat().length === 0) return [];
  const slices = { path: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices` };
  const found = await unlessRefused(listMapped({ client, signal, target: slices }, slimSlices));
  if (found === undefined) return [];
  const byName = local.flat().sort((a, b) => compareText(a.name, b.name));
  return byName.flatMap((service) => noteOn(service, found, holders)).slice(0, LINES);
}

/** Without a node port, no packet arrives by the address of a node; without a selector, no match can follow its pods. */
function localService(raw: KubeObject): readonly ServiceFacts[] {
  const { spec } = raw as KubeObject & { readonly spec?: { readonly externalTrafficPolicy?: string } };
  if (spec?.externalTrafficPolicy !== "Local") return [];
  const service = slimServices(raw);
  return service.selector !== undefined && nodePortsOf(service).length > 0 ? [service] : [];
}

function nodePortsOf({ ports }: ServiceFacts): readonly string[] {
  return ports.flatMap(({ nodePort }) => (nodePort === undefined ? [] : String(nodePort)));
}

function noteOn(service: ServiceFacts, slices: readonly SliceFacts[], holders: readonly string[]): readonly string[] {
  const { namespace, name, selector = {} } = service;
  const own = slices.filter((slice) => slice.service === `${namespace}/${name}`).flatMap(({ endpoints }) => endpoints);
  // A node also forwards packets to pods that only still serve, if it has no others.
  const answering = new Set(own.filter(({ ready, serving }) => ready || serving).map(({ nodeName }) => nodeName));
  const closed = holders.filter((node) => !answering.has(node)).sort(compareText);
  if (closed.length === 0) return [];
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  const [who, drop] = closed.length === 1 ? [closed.join(), "drops"] : ["these nodes", "drop"];
  return [
    `Service ${namespace}/${name} (NodePort ${nodePortsOf(service).join(", ")}) has externalTrafficPolicy Local and no ready pod on ${listed(closed)}: ${who} ${drop} its packets${FIX}if clients of the addresses use it, set spec.match.podNamespace to ${namespace} and spec.match.podLabel to ${labels.join(",")}`,
  ];
}
