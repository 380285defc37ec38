"use strict";
// One seed for all property tests of a run, printed so that a failure can be replayed: FLIPOP_SEED=N npm test
const fc = require("fast-check");

const seed = Number(process.env.FLIPOP_SEED ?? Math.floor(Math.random() * 2 ** 31));
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
if (process.env.MOCHA_WORKER_ID === undefined) console.log(`property tests: FLIPOP_SEED=${seed}`);
// Processes of parallel test files inherit the seed.
process.env.FLIPOP_SEED = String(seed);
