/** The part of docs/how-to/troubleshoot.md that the situations of the operator's tests make. */

import { SITUATIONS } from "../../operator/test/situations/all.js";
import type { Group, Situation } from "../../operator/test/situations/situation.js";
import { code, table } from "./markdown.js";

const BEGIN = "<!-- Generated from operator/test/situations by `npm run reference`; edit it there. -->";
const END = "<!-- The end of the generated part. -->";

/** The page with its generated part as the situations are now. */
export function withSituations(page: string): string {
  const [before, rest = ""] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (before === undefined || after === undefined) throw new Error(`the page lacks "${BEGIN}" or "${END}"`);
  return [before + BEGIN, "", ...index(), "", ...SITUATIONS.flatMap(groupText), END + after].join("\n");
}

function index(): readonly string[] {
  return SITUATIONS.map(({ heading }) => `- [${heading}](#${anchorOf(heading)})`);
}

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}

function groupText({ heading, situations }: Group): readonly string[] {
  const header = ["what happened", "what you read", "what to do"];
  const kinds = [...new Set(situations.map(({ kind }) => code(kind)))].join(", ");
  return [`### ${heading}`, "", `Look at the ${kinds}.`, "", ...table(header, situations.map(rowText)), ""];
}

function rowText({ when, seen, fix }: Situation): readonly string[] {
  const { where, reason, message } = seen();
  return [when, `${code(where)} ${code(reason)}: ${inCell(message)}`, fix];
}

/** A message as text: Markdown takes some characters for marks. */
function inCell(message: string): string {
  return message.replaceAll("<", "&lt;").replaceAll("|", "\\|").replaceAll("*", "\\*").replaceAll("\n", " ");
}
