import { BAD_OTHERS } from "./bad-others";
import { BAD_POOLS } from "./bad-pools";
import type { BadSpec } from "./bad-spec";

/** Specs that both `validateSpec` and the API server reject, each with one mistake. */
export const BAD_SPECS: readonly BadSpec[] = [...BAD_POOLS, ...BAD_OTHERS];
