/** All situations, in the order of docs/how-to/troubleshoot.md. */

import { CLASSES_AND_ISSUERS } from "./classes.js";
import { CREATION } from "./creation.js";
import { JOBS } from "./jobs.js";
import { POOL_ACCOUNT } from "./pool-account.js";
import { POOL_MATCH } from "./pool-match.js";
import { POOL_NAMES } from "./pool-names.js";
import { POOL_NODES } from "./pool-nodes.js";
import { PUBLISHING } from "./publishing.js";
import { RECORD_NAMES } from "./record-names.js";
import { ROUTED_IPS } from "./routed-ips.js";
import type { Group } from "./situation.js";
import { WARNINGS } from "./warnings.js";

export const SITUATIONS: readonly Group[] = [
  ...POOL_NODES,
  POOL_MATCH,
  ...POOL_ACCOUNT,
  ...CREATION,
  ...POOL_NAMES,
  ...RECORD_NAMES,
  ...ROUTED_IPS,
  ...CLASSES_AND_ISSUERS,
  JOBS,
  ...PUBLISHING,
  ...WARNINGS,
];
