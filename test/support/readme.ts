import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONSTRUCTS } from "../../tools/packs/paths.js";

/** A block of code of the library's README. */
interface CodeBlock {
  /** The heading of its section. */
  readonly heading: string;
  readonly language: string;
  readonly lines: string[];
}

/** The first block of a language under a heading. Throws if there is none. */
export function readmeBlock(heading: string, language: string): string {
  const block = blocks().find((candidate) => candidate.heading === heading && candidate.language === language);
  if (!block) throw new Error(`the README has no ${language} under "${heading}"`);
  return `${block.lines.join("\n")}\n`;
}

/** The commands of all sh blocks under a heading. */
export function readmeCommands(heading: string): readonly string[] {
  return blocks()
    .filter((block) => block.heading === heading && block.language === "sh")
    .flatMap(({ lines }) => lines);
}

function blocks(): readonly CodeBlock[] {
  const found: CodeBlock[] = [];
  let heading = "";
  let open: CodeBlock | undefined;
  for (const line of readFileSync(join(CONSTRUCTS, "README.md"), "utf8").split("\n")) {
    if (line.startsWith("```")) {
      open = open ? undefined : { heading, language: line.slice(3), lines: [] };
      if (open) found.push(open);
    } else if (open) open.lines.push(line);
    else if (line.startsWith("#")) heading = line.replace(/^#+ /, "");
  }
  return found;
}
