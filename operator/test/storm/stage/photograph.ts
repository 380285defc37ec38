/** Takes a picture of the world for the checks of the quiet phase. */

import { Annotation } from "cdk8s-flipop/api";
import type { ObjectMeta } from "flipop-testbed";
import type { ResourceKind } from "../history.js";
import type { Picture, PictureNode, PictureResource } from "../oracle/picture.js";
import { namesOf, valueAt } from "../truth.js";
import { exists } from "./hand.js";
import { insist } from "./insist.js";
import { recordSets } from "./recorder.js";
import { type AnyResource, PLURALS } from "./specs.js";
import type { Stage } from "./stage.js";

interface NodeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly status?: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] };
}

export async function photograph(stage: Stage): Promise<Picture> {
  const { clouds, resources } = stage.parts;
  const { client } = stage;
  const kinds = Object.keys(PLURALS) as ResourceKind[];
  const lists = await Promise.all(
    kinds.map((kind) => insist(() => client.must.list<AnyResource>(resources.collection(kind)))),
  );
  const nodes = await insist(() => client.must.list<NodeObject>("/api/v1/nodes"));
  const found = lists.flat();
  return {
    at: Date.now(),
    nodes: nodes.flatMap((node) => nodeOf(stage, node)),
    holders: Object.fromEntries(clouds.digitalocean.state.addresses().map(({ ip, dropletId }) => [ip, dropletId])),
    records: Object.fromEntries(recordSets(clouds)),
    ...divided(stage, found),
    versions: Object.fromEntries([...found, ...nodes].map(({ metadata }) => [metadata.name, metadata.resourceVersion])),
  };
}

function nodeOf(stage: Stage, { metadata, status }: NodeObject): readonly PictureNode[] {
  const { name, annotations = {} } = metadata;
  const state = valueAt(stage.parts.recorder.nodes, name, Date.now());
  if (state === undefined) return [];
  const externalIp = status?.addresses?.find(({ type }) => type === "ExternalIP")?.address ?? "";
  const hasMachine = exists(() => stage.parts.clouds.digitalocean.state.droplet(state.droplet));
  const [ipv4, ipv6] = [annotations[Annotation.reservedIpv4], annotations[Annotation.reservedIpv6]];
  const shown = { ...(ipv4 !== undefined && { ipv4 }), ...(ipv6 !== undefined && { ipv6 }) };
  return [{ name, state, externalIp, hasMachine, annotations: shown }];
}

/** Those that the storm wants to be there, and those that should be gone. */
function divided(stage: Stage, found: readonly AnyResource[]): Pick<Picture, "resources" | "lingering"> {
  const { recorder } = stage.parts;
  const wanted = new Set(namesOf(recorder.resources).filter((name) => valueAt(recorder.resources, name, Date.now())));
  const lingering = found.filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined || !wanted.has(metadata.name),
  );
  const resources = found.flatMap((object): readonly PictureResource[] => {
    const { name, deletionTimestamp } = object.metadata;
    const state = valueAt(recorder.resources, name, Date.now());
    return state === undefined || deletionTimestamp !== undefined ? [] : [{ name, state, object }];
  });
  return { resources, lingering: lingering.map(({ metadata }) => metadata.name) };
}
