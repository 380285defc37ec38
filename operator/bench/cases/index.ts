/** All cases, in the order in which they run. */

import type { Case } from "../bench.js";
import { accountCase } from "./clouds/idle-account.js";
import { cloudsCase } from "./clouds/large-account.js";
import { recordsCase } from "./clouds/records.js";
import { deathsCase } from "./deaths.js";
import { bundleCase } from "./edge/bundle.js";
import { clusterCase } from "./edge/cluster.js";
import { commandsCase } from "./edge/commands.js";
import { largeCase } from "./edge/large-cluster-start.js";
import { syncCases } from "./edge/sync.js";
import { eventsCase } from "./edge/watch-events.js";
import { outageCase } from "./pools/api-server-outage.js";
import { idleCase } from "./pools/idle.js";
import { latencyCase, startCase } from "./pools/latency.js";
import { leaderCase } from "./pools/leader.js";
import { overlapCase } from "./pools/overlap.js";
import { scaleCase } from "./pools/scale.js";
import { quietCase, smallCase } from "./pools/small.js";
import { surgeCase } from "./pools/surge-upgrade.js";
import { probesCase } from "./probes.js";
import { routedCase } from "./routed.js";
import { trafficCase } from "./traffic.js";

const EDGE: readonly Case[] = [bundleCase, ...syncCases, eventsCase, clusterCase, largeCase, commandsCase];
const CLOUDS: readonly Case[] = [cloudsCase, recordsCase, accountCase];
const POOLS: readonly Case[] = [
  ...[latencyCase, startCase, smallCase, quietCase, surgeCase, idleCase],
  ...[overlapCase, outageCase, leaderCase, scaleCase],
];

export const CASES: readonly Case[] = [...EDGE, ...CLOUDS, ...POOLS, routedCase, probesCase, trafficCase, deathsCase];
