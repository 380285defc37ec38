/** Which value the pod of an operator gives a setting: by a flag, or by a variable, which may be from a ConfigMap. */

import { FLAGS } from "cdk8s-flipop/api";
import type { KubeClient } from "../../kube/client.js";
import { unlessRefused } from "../list-objects.js";

export interface Pod {
  readonly spec?: { readonly containers?: readonly Container[] };
}

interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly EnvSource[];
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly configMapKeyRef?: Ref & { readonly key: string } };
}

interface Ref {
  readonly name?: string;
}

interface EnvSource {
  readonly prefix?: string;
  readonly configMapRef?: Ref;
}

export type SettingName = "features" | "watch-namespaces";

/** `unknown`: why it is not known, in words. */
export type Setting = { readonly text: string | undefined } | { readonly unknown: string };

/** An entry of a ConfigMap. */
type ReadEntry = (name: string | undefined, key: string) => Promise<Setting>;

/** `text` is undefined where the pod does not set it. @throws StatusError */
export async function settingOf(
  client: KubeClient,
  { spec }: Pod,
  { name, namespace }: { readonly name: SettingName; readonly namespace: string },
): Promise<Setting> {
  const containers = spec?.containers ?? [];
  const words = containers.flatMap(({ command = [], args = [] }) => [...command, ...args]).join("\n");
  const [, given] = new RegExp(`^--${name}[=\n](.*)$`, "m").exec(words) ?? [];
  if (given !== undefined) return { text: given };
  const variable = FLAGS.find((flag) => flag.name === name)?.env ?? "";
  return variableOf(containers, variable, entryReader(client, namespace));
}

async function variableOf(containers: readonly Container[], name: string, read: ReadEntry): Promise<Setting> {
  const own = containers.flatMap(({ env = [] }) => env).findLast((one) => one.name === name);
  if (own !== undefined) return own.valueFrom === undefined ? { text: own.value } : fromEntry(own, read);
  // The last source that has the variable counts. Doctor reads no Secret: there, operators have their tokens.
  for (const { prefix = "", configMapRef } of containers.flatMap(({ envFrom = [] }) => envFrom).reverse()) {
    if (configMapRef === undefined || !name.startsWith(prefix)) continue;
    const found = await read(configMapRef.name, name.slice(prefix.length));
    if ("unknown" in found || found.text !== undefined) return found;
  }
  return { text: undefined };
}

async function fromEntry({ name, valueFrom }: Variable, read: ReadEntry): Promise<Setting> {
  const ref = valueFrom?.configMapKeyRef;
  if (ref === undefined) return { unknown: `its ${name} is not from a ConfigMap, and doctor reads nothing else` };
  return read(ref.name, ref.key);
}

function entryReader(client: KubeClient, namespace: string): ReadEntry {
  return async (name = "", key) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${encodeURIComponent(name)}`;
    const found = await unlessRefused(client.request<{ data?: Record<string, string> }>({ method: "GET", path }));
    if (found === undefined) return { unknown: `its ConfigMap ${name}, which may set what it manages, can't be read` };
    return { text: found.data?.[key] };
  };
}
