/** All cases, in the order in which they run. */

import type { Case } from "../bench.js";
import { accountCase } from "./account.js";
import { bundleCase } from "./bundle.js";
import { cloudsCase } from "./clouds.js";
import { clusterCase } from "./cluster.js";
import { eventsCase } from "./events.js";
import { idleCase } from "./idle.js";
import { latencyCase, startCase } from "./latency.js";
import { leaderCase } from "./leader.js";
import { outageCase } from "./outage.js";
import { overlapCase } from "./overlap.js";
import { recordsCase } from "./records.js";
import { routedCase } from "./routed.js";
import { scaleCase } from "./scale.js";
import { surgeCase } from "./surge.js";
import { syncCases } from "./sync.js";

const EDGE: readonly Case[] = [bundleCase, ...syncCases, eventsCase, clusterCase];
const CLOUDS: readonly Case[] = [cloudsCase, recordsCase, accountCase];
const POOLS: readonly Case[] = [
  ...[latencyCase, startCase, surgeCase, idleCase],
  ...[overlapCase, outageCase, leaderCase, scaleCase],
];

export const CASES: readonly Case[] = [...EDGE, ...CLOUDS, ...POOLS, routedCase];
