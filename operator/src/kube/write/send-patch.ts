import type { KubeClient, KubeRequest } from "../client.js";
import type { KubeObject } from "../objects.js";
import type { Patch } from "./patch.js";

export interface SendPatchOptions {
  /** `status` or another subresource. @default the object itself */
  readonly subresource?: string;
  readonly deadlineSeconds?: number;
  readonly signal?: AbortSignal;
}

/**
 * Sends a patch; nothing at all when there is none.
 * @param path of the object, for example `/api/v1/nodes/n1`.
 * @returns the object as patched, `undefined` when nothing was sent. Rejects with StatusError.
 */
export async function sendPatch<O extends KubeObject = KubeObject>(
  client: KubeClient,
  path: string,
  patch: Patch | undefined,
  options: SendPatchOptions = {},
): Promise<O | undefined> {
  if (patch === undefined) return undefined;
  const { subresource, ...limits } = options;
  const request: KubeRequest = {
    method: "PATCH",
    path: subresource === undefined ? path : `${path}/${subresource}`,
    contentType: patch.contentType,
    body: patch.body,
    ...limits,
  };
  return client.request<O>(request);
}
