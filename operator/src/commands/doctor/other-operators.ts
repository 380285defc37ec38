/** Whether operators of other namespaces manage the same resources. */

import { DEFAULT_FEATURES, FLAGS } from "cdk8s-flipop/api";
import type { KubeClient } from "../../kube/client.js";
import type { Lease } from "../../kube/write/lease.js";
import { listAll, unlessRefused } from "../list-objects.js";
import { type Finding, ok, problem, warning } from "./finding.js";
import { isHeld, LEASES } from "./leases.js";
import { type Pod, type SettingName, settingOf } from "./pod-settings.js";

/** What an operator manages. */
interface Scope {
  readonly features: readonly string[];
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
}

const CHECK = "another operator";
const REMEDY = "let only one operator manage a resource: limit --watch-namespaces, or remove one of them";

/** @param own of the operator in `namespace`, unless its pod shows another. @throws StatusError */
export async function otherOperators(
  client: KubeClient,
  own: Scope & { readonly namespace: string },
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  const leases = await listAll<Lease>(client, LEASES, signal);
  const held = leases.filter((lease) => isHeld(lease, now));
  const others = held.filter(({ metadata }) => metadata?.namespace !== own.namespace);
  if (others.length === 0) return [ok(CHECK, "no other namespace has a leader")];
  const leading = held.find(({ metadata }) => metadata?.namespace === own.namespace);
  const found = leading && (await scopeOf(client, leading));
  // What its pod does not show, the flags of doctor do, which may differ.
  const [scope, isSure] = typeof found === "object" ? [found, true] : [own, false];
  return Promise.all(
    others.map(async (lease) => {
      const other = await scopeOf(client, lease);
      const seen = `another operator leads in namespace ${lease.metadata?.namespace} (${lease.spec?.holderIdentity})`;
      if (typeof other === "string") return warning(CHECK, `${seen}; ${other}`, REMEDY);
      if (!overlap(scope, other)) return ok(CHECK, `${seen}, and manages other resources`);
      if (isSure) return problem(CHECK, `${seen}, and manages the same resources`, REMEDY);
      const why = found === undefined ? "" : `; of the operator in namespace ${own.namespace}: ${found}`;
      return warning(CHECK, `${seen}${why}`, REMEDY);
    }),
  );
}

function overlap(one: Scope, other: Scope): boolean {
  const kinds = DEFAULT_FEATURES.some((feature) => one.features.includes(feature) && other.features.includes(feature));
  const [mine, theirs] = [one.watchNamespaces, other.watchNamespaces];
  return kinds && (mine.length === 0 || theirs.length === 0 || mine.some((namespace) => theirs.includes(namespace)));
}

/** By the pod of the holder, whose identity begins with the name of its pod. A text: why it is not known. */
async function scopeOf(client: KubeClient, { metadata, spec }: Lease): Promise<Scope | string> {
  const [name = ""] = (spec?.holderIdentity ?? "").split("_");
  const { namespace = "" } = metadata ?? {};
  const path = `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(name)}`;
  const pod = await unlessRefused(client.request<Pod>({ method: "GET", path }));
  if (pod === undefined) return "its pod, which shows what it manages, can't be read";
  const features = await settingOf(client, pod, { name: "features", namespace });
  const watched = await settingOf(client, pod, { name: "watch-namespaces", namespace });
  if ("unknown" in features) return features.unknown;
  if ("unknown" in watched) return watched.unknown;
  return { features: listOf("features", features.text), watchNamespaces: listOf("watch-namespaces", watched.text) };
}

/** @param text absent: the default */
function listOf(name: SettingName, text = FLAGS.find((one) => one.name === name)?.default ?? ""): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
