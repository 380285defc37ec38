/** Errors for which another node may have the address at once. */

import type { ProviderErrorReason } from "../../providers/errors.js";

/** Something is wrong with the node, for this address or for any. */
export const NODE_FAULTS: ReadonlySet<ProviderErrorReason> = new Set([
  "NodeBusy",
  "NodeOccupied",
  "NodeUnfit",
  "WrongRegion",
]);
