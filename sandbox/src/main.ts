/** The executable `flipop-sandbox`. */
import { endWithoutReader } from "flipop-operator/exit";
import { runSandbox } from "./cli.js";

endWithoutReader();
process.exitCode = await runSandbox(process.argv.slice(2));
