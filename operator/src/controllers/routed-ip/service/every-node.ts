/** Which nodes may hold an address as far as nodes go: the Service's endpoints say the rest. */

import type { CompiledMatch } from "../../../match/compile-match.js";

/**
 * Every node that is Ready and not cordoned, whatever its labels. No taint speaks against it: pods that answer for the
 * Service run there in spite of it.
 * @param providerScheme see `CompiledMatch.providerScheme`.
 */
export function everyNode(providerScheme: string | undefined): CompiledMatch {
  return {
    nodeLabels: [],
    tolerations: [{ operator: "Exists", value: "" }],
    toleratesCordon: false,
    ...(providerScheme === undefined ? {} : { providerScheme }),
  };
}
