/** All cases, in the order in which they run. */

import type { Case } from "../bench.js";
import { accountCase } from "./account.js";
import { bundleCase } from "./bundle.js";
import { cloudsCase } from "./clouds.js";
import { clusterCase } from "./cluster.js";
import { commandsCase } from "./commands.js";
import { deathsCase } from "./deaths.js";
import { eventsCase } from "./events.js";
import { idleCase } from "./idle.js";
import { largeCase } from "./large.js";
import { latencyCase, startCase } from "./latency.js";
import { leaderCase } from "./leader.js";
import { outageCase } from "./outage.js";
import { overlapCase } from "./overlap.js";
import { probesCase } from "./probes.js";
import { recordsCase } from "./records.js";
import { routedCase } from "./routed.js";
import { scaleCase } from "./scale.js";
import { quietCase, smallCase } from "./small.js";
import { surgeCase } from "./surge.js";
import { syncCases } from "./sync.js";
import { trafficCase } from "./traffic.js";

const EDGE: readonly Case[] = [bundleCase, ...syncCases, eventsCase, clusterCase, largeCase, commandsCase];
const CLOUDS: readonly Case[] = [cloudsCase, recordsCase, accountCase];
const POOLS: readonly Case[] = [
  ...[latencyCase, startCase, smallCase, quietCase, surgeCase, idleCase],
  ...[overlapCase, outageCase, leaderCase, scaleCase],
];

export const CASES: readonly Case[] = [...EDGE, ...CLOUDS, ...POOLS, routedCase, probesCase, trafficCase, deathsCase];
