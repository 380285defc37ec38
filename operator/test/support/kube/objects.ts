import type { SlimPod } from "../../../src/kube/cache/slim-objects.js";
import type { KubeObject } from "../../../src/kube/objects.js";

export function rawPod(
  name: string,
  more: Partial<KubeObject["metadata"]> = {},
  rest: Omit<KubeObject, "metadata"> = {},
): KubeObject {
  return { ...rest, metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1", ...more } };
}

export function slimPod(name: string, more: Partial<SlimPod> = {}): SlimPod {
  return Object.freeze({
    uid: `uid-${name}`,
    name,
    namespace: "default",
    labels: {},
    nodeName: undefined,
    phase: "Running",
    ready: true,
    deletionTimestamp: undefined,
    ...more,
  });
}
