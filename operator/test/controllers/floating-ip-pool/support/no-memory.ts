import type { AddressMemory } from "../../../../src/addresses/address-set.js";

/** A memory of nothing. */
export const NO_MEMORY: AddressMemory = Object.freeze({
  nodeRetryAt: new Map(),
  lists: [],
  reverts: new Map(),
  cleanup: { attempts: 0 },
});
