/** Whether a namespace is gone, asked for by a right that the operator has in every namespace, and that writes nothing. */

import { NAMESPACE_CALL_SECONDS } from "../../bounds.js";
import type { KubeClient } from "../client.js";
import { isNotFound } from "../status-error.js";
import { EVENTS_API_VERSION } from "../write/event-object.js";

const NAMESPACE = /\/namespaces\/([^/]+)\//;

/** Of a collection; `undefined`: it is one of the whole cluster. */
export function namespaceOf(path: string): string | undefined {
  return NAMESPACE.exec(path)?.[1];
}

/** A dry run of an Event there. The server reports the missing namespace before any other error. */
export function isNamespaceGone(client: KubeClient, namespace: string, signal?: AbortSignal): Promise<boolean> {
  const event = { apiVersion: EVENTS_API_VERSION, kind: "Event", metadata: { generateName: "probe-", namespace } };
  const path = `/apis/${EVENTS_API_VERSION}/namespaces/${namespace}/events`;
  const limits = { maxAttempts: 1, deadlineSeconds: NAMESPACE_CALL_SECONDS, ...(signal && { signal }) };
  return client.request({ method: "POST", path, query: { dryRun: "All" }, body: event, ...limits }).then(
    () => false,
    (error: unknown) => isNotFound(error) && error.details.kind === "namespaces",
  );
}
