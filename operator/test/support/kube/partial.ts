/** Stand-ins for what a tested part is given. */

import type { KubeClient, KubeRequest } from "../../../src/kube/client.js";

/** An object with those fields alone that the tested code reads. */
export function partial<T>(fields: Partial<T>): T {
  return fields as T;
}

/** A client whose server answers what the function returns, and that has no watches. */
export function clientThat(answer: (request: KubeRequest) => unknown): KubeClient {
  return {
    request: async <T>(request: KubeRequest) => (await answer(request)) as T,
    open: () => Promise.reject(new Error("no watches here")),
  };
}
