/** Whether operators of other namespaces manage the same resources. */

import { DEFAULT_FEATURES, FLAGS } from "cdk8s-flipop/api";
import type { KubeClient } from "../../kube/client.js";
import type { Lease } from "../../kube/write/lease.js";
import { listAll, unlessRefused } from "../read.js";
import { type Finding, ok, problem, warning } from "./finding.js";
import { isHeld, LEASES } from "./leases.js";

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
  const scope = (leading && (await scopeOf(client, leading))) ?? own;
  return Promise.all(
    others.map(async (lease) => {
      const other = await scopeOf(client, lease);
      const seen = `another operator leads in namespace ${lease.metadata?.namespace} (${lease.spec?.holderIdentity})`;
      if (other === undefined)
        return warning(CHECK, `${seen}; its pod, which shows what it manages, can't be read`, REMEDY);
      if (!overlap(scope, other)) return ok(CHECK, `${seen}, and manages other resources`);
      return leading === undefined
        ? warning(CHECK, seen, REMEDY)
        : problem(CHECK, `${seen}, and manages the same resources`, REMEDY);
    }),
  );
}

function overlap(one: Scope, other: Scope): boolean {
  const kinds = DEFAULT_FEATURES.some((feature) => one.features.includes(feature) && other.features.includes(feature));
  const [mine, theirs] = [one.watchNamespaces, other.watchNamespaces];
  return kinds && (mine.length === 0 || theirs.length === 0 || mine.some((namespace) => theirs.includes(namespace)));
}

interface Pod {
  readonly spec?: { readonly containers?: readonly Container[] };
}

interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** By the pod of the holder, whose identity begins with the name of its pod. `undefined`: it can't be read. */
async function scopeOf(client: KubeClient, { metadata, spec }: Lease): Promise<Scope | undefined> {
  const [name = ""] = (spec?.holderIdentity ?? "").split("_");
  const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${encodeURIComponent(name)}`;
  const pod = await unlessRefused(client.request<Pod>({ method: "GET", path }));
  if (pod === undefined) return undefined;
  const containers = pod.spec?.containers ?? [];
  return { features: settingOf(containers, "features"), watchNamespaces: settingOf(containers, "watch-namespaces") };
}

/** The list of a flag, of its variable, or its default. */
function settingOf(containers: readonly Container[], name: "features" | "watch-namespaces"): readonly string[] {
  const flag = FLAGS.find((one) => one.name === name);
  const words = containers.flatMap(({ command = [], args = [] }) => [...command, ...args]).join("\n");
  const [, given] = new RegExp(`^--${name}[=\n](.*)$`, "m").exec(words) ?? [];
  const variables = containers.flatMap(({ env = [] }) => env);
  const text = given ?? variables.find((one) => one.name === flag?.env)?.value ?? flag?.default ?? "";
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
