import type { PoolMemory } from "../../../src/controllers/floating-ip-pool/snapshot.js";

/** A memory of nothing. */
export const NO_MEMORY: PoolMemory = Object.freeze({
  nodeRetryAt: new Map(),
  lists: [],
  reverts: new Map(),
  cleanup: { attempts: 0 },
});
