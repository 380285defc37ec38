/** `tsx tools/helm/fetch.ts`: says where helm is, and builds it first where it is nowhere. */
import { findOrBuildHelm } from "./helm-binary.js";

process.stdout.write(`${await findOrBuildHelm()}\n`);
