/** `flipop version`: what to name in an issue report. */

import { buildFacts } from "../build.js";
import { EXIT } from "../exit.js";
import { type CommandCall, textOption } from "./command.js";
import { dataText } from "./render/table.js";

export async function run(call: CommandCall): Promise<number> {
  const facts = buildFacts();
  const format = textOption(call, "output");
  if (format === "json" || format === "yaml") call.io.out(dataText(facts, format));
  else {
    const { version, commit, node, platform } = facts;
    call.io.out(`flipop ${version}, commit ${commit || "unknown"}, Node ${node}, ${platform}\n`);
  }
  return EXIT.ok;
}
