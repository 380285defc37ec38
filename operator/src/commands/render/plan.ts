/** Pure: the text of `flipop plan`. */

import { changeText } from "../../messages/events.js";
import type { RecordChangeSet } from "../../providers/types.js";
import { isRead } from "../../reconcile/dry-run.js";
import { listed } from "../../values.js";
import type { PlannedAction, ResourcePlan } from "../plan/collected-plans.js";
import { onRow, tableText } from "./table.js";

/** Notes in a status that go with a change, and reads: no change of their own. */
const BOOKKEEPING = /^(record-|mark-|confirm-|settle-|take-|wait$)/;

const ADDED = /^(create-|append-|annotate-|add-|extend-)/;
const REMOVED = /^(release|unassign|unannotate-|remove-|drop-|forget-|clear-)/;

/** What changes a cloud, DNS or an object; the notes and reads around it are left out. */
export function changesOf({ actions }: Pick<ResourcePlan, "actions">): readonly PlannedAction[] {
  return actions.filter((action) => !isRead(action) && !BOOKKEEPING.test(action.do));
}

/** Of resources with changes or problems; empty: there are none. */
export function planText(plans: readonly ResourcePlan[]): string {
  return plans.map(resourceText).join("");
}

function resourceText(plan: ResourcePlan): string {
  const { kind, namespace, name, problems } = plan;
  const rows = changesOf(plan).map((action) => [`  ${signOf(action)} ${action.do}`, targetOf(action), action.why]);
  const notes = problems.map(({ type, reason, message }) => `  ! ${type} ${reason}: ${onRow(message)}\n`);
  if (rows.length === 0 && notes.length === 0) return "";
  const title = [kind, [namespace, name].filter((part) => part !== "").join("/")].join(" ");
  return `${title}\n${tableText(rows)}${notes.join("")}`;
}

function signOf({ do: verb }: PlannedAction): "+" | "-" | "~" {
  if (ADDED.test(verb)) return "+";
  return REMOVED.test(verb) ? "-" : "~";
}

/** What the action is about, of the fields that it has. */
function targetOf(action: PlannedAction): string {
  const { ip, node, from, desired, changes, replaced, value, name } = action;
  const parts = [
    textOf(ip),
    node === undefined ? "" : `${placing(action)}${nodeText(node)}`,
    from === undefined ? "" : `from ${textOf(from)}`,
    placeText(desired),
    `${recordsText(changes)}${replacedText(replaced)}`,
    textOf(value),
    textOf(name),
  ];
  return parts.filter((part) => part !== "").join(" ") || "-";
}

/** An address goes to its node; annotations and labels of an address are on a node. */
function placing({ do: verb, ip }: PlannedAction): string {
  if (ip === undefined) return "";
  return verb === "assign" ? "to " : "on ";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function nodeText(node: unknown): string {
  return typeof node === "string" ? node : textOf((node as { readonly name?: unknown }).name);
}

function placeText(desired: unknown): string {
  const { node, region, family, name } = (desired ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof node === "string") return `${textOf(family)} on ${node}`.trim();
  if (typeof region === "string") return `${textOf(family)} in ${region || "any region"}`.trim();
  return textOf(name);
}

/** Records of others, as far as the status shows. */
function replacedText(values: unknown): string {
  return Array.isArray(values) ? ` (replaces records of others: ${listed(values)})` : "";
}

function recordsText(changes: unknown): string {
  const change = (changes ?? {}) as Partial<RecordChangeSet>;
  return change.fqdn === undefined ? "" : changeText(change as RecordChangeSet);
}
