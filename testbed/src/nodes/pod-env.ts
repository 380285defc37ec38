import type { Client } from "../client/client.js";
import type { Container, EnvFrom, EnvVar, KeySelector, Pod } from "./pod-types.js";

type Variables = Record<string, string>;
type Kind = "secrets" | "configmaps";

interface DataObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The variables of a container; rejects if a required Secret, ConfigMap or key is missing. */
export async function containerEnv(client: Client, pod: Pod, container: Container): Promise<Variables> {
  const env: Variables = {};
  for (const source of container.envFrom ?? []) Object.assign(env, await bulk(client, pod, source));
  for (const variable of container.env ?? []) {
    const value = await variableValue(client, pod, variable);
    if (value !== undefined) env[variable.name] = expand(value, env);
  }
  return env;
}

/** Replaces `$(NAME)` by the variable's value, as the kubelet does in commands and values; `$$(` means `$(`. */
export function expand(text: string, env: Readonly<Variables>): string {
  return text.replace(/\$\$|\$\(([^)]+)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return "$";
    return env[name] ?? match;
  });
}

async function bulk(client: Client, pod: Pod, source: EnvFrom): Promise<Variables> {
  const { secretRef, configMapRef, prefix = "" } = source;
  const reference = secretRef ?? configMapRef;
  if (!reference) return {};
  const data = await read(client, pod, secretRef ? "secrets" : "configmaps", reference);
  return Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [prefix + key, value]));
}

async function variableValue(client: Client, pod: Pod, { value, valueFrom }: EnvVar): Promise<string | undefined> {
  const { secretKeyRef, configMapKeyRef, fieldRef } = valueFrom ?? {};
  if (secretKeyRef) return keyOf(client, pod, "secrets", secretKeyRef);
  if (configMapKeyRef) return keyOf(client, pod, "configmaps", configMapKeyRef);
  if (fieldRef) return field(pod, fieldRef.fieldPath);
  return value ?? "";
}

async function keyOf(client: Client, pod: Pod, kind: Kind, selector: KeySelector): Promise<string | undefined> {
  const value = (await read(client, pod, kind, selector))?.[selector.key];
  if (value === undefined && !selector.optional) {
    throw new Error(`couldn't find key ${selector.key} in ${kind} ${pod.metadata.namespace}/${selector.name}`);
  }
  return value;
}

async function read(
  client: Client,
  pod: Pod,
  kind: Kind,
  { name, optional }: { readonly name: string; readonly optional?: boolean },
): Promise<Variables | undefined> {
  const { namespace } = pod.metadata;
  const { status, body } = await client.get<DataObject>(`/api/v1/namespaces/${namespace}/${kind}/${name}`);
  if (status === 404 && optional) return undefined;
  if (status !== 200) throw new Error(`cannot read ${kind} ${namespace}/${name}: ${status}`);
  const decode = (value: string) => (kind === "secrets" ? Buffer.from(value, "base64").toString("utf8") : value);
  return Object.fromEntries(Object.entries(body.data ?? {}).map(([key, value]) => [key, decode(value)]));
}

function field(pod: Pod, path: string): string {
  const { metadata, spec, status } = pod;
  const [, map, key = ""] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  if (map === "labels" || map === "annotations") return metadata[map]?.[key] ?? "";
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec.nodeName,
    "spec.serviceAccountName": spec.serviceAccountName,
    "status.podIP": status?.podIP,
  };
  return fields[path] ?? "";
}
