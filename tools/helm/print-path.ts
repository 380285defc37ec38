/** `tsx tools/helm/print-path.ts`: prints the path of helm, and builds helm first if there is none. */
import { findOrBuildHelm } from "./helm-binary.js";

process.stdout.write(`${await findOrBuildHelm()}\n`);
