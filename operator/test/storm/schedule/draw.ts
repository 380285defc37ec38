/** A schedule from a seed: the same seed gives the same events at the same moments of the storm, on any machine. */

import type { Presence } from "../history.js";
import { Draft, type SlotModel } from "./draft.js";
import { faultEvent } from "./draw-faults.js";
import { GROUPS, type Happening, type NodeAct, type PodAct, type Schedule, SLOTS, type Step } from "./steps.js";
import { drawTemplates } from "./templates.js";

/** Between two events on average, ms. */
const MEAN_GAP_MS = 320;
/** Nothing happens before the resources of the start are served. */
const FIRST_MS = 500;
/** Nodes that must be whole for a node to be broken. */
const LEAST_WHOLE = 4;
/** Edits by hand that one round may do to addresses or records: more would look like a foreign writer. */
const MOST_HAND_EDITS = 6;
/** The more frequent ones more than once. */
const BREAKING_ACTS = [
  ...(["unready", "unready", "unready", "delete", "replace"] as const),
  ...(["cordon", "taint", "pressure", "regroup"] as const),
  ...(["die", "die", "close", "hang", "silence"] as const),
];
/** They undo nothing that the operator wrote to an address or a record. */
const HARMLESS_ACTS = ["addAddress", "busyDroplet", "destroyDroplet"] as const;
const HAND_ACTS = [
  ...HARMLESS_ACTS,
  ...(["move", "unassign", "removeAddress", "addRecord", "removeRecord"] as const),
] as const;
const POOL_EDITS = [
  ...(["desired", "desired", "desired", "pause", "grace"] as const),
  ...(["coolOff", "groups", "unlist", "list"] as const),
];

/** @param ms how long the storm phase lasts. */
export function drawSchedule(seed: number, ms: number): Schedule {
  const templates = drawTemplates(new Draft(seed));
  const draft = new Draft(seed + 1, templates);
  const steps: Step[] = [];
  for (let at = FIRST_MS; at < ms; at += Math.ceil(-Math.log(1 - draft.next()) * MEAN_GAP_MS)) {
    const happening = drawEvent(draft);
    if (happening !== undefined) steps.push({ ...happening, at });
  }
  return { seed, templates, steps };
}

/** Undefined: what was drawn makes no sense now. */
function drawEvent(draft: Draft): Happening | undefined {
  const roll = draft.next();
  if (roll < 0.32) return nodeEvent(draft);
  if (roll < 0.42) return podEvent(draft);
  if (roll < 0.48) return endpointEvent(draft);
  if (roll < 0.66) return resourceEvent(draft);
  if (roll < 0.72) return handEvent(draft);
  return faultEvent(draft);
}

function nodeEvent(draft: Draft): Happening | undefined {
  const slot = Math.floor(draft.next() * SLOTS);
  const model = draft.slots[slot];
  if (model === undefined) return undefined;
  const act = nodeAct(draft, model);
  if (act === undefined) return undefined;
  if (act === "regroup") return { kind: "node", slot, act, group: draft.of(GROUPS) };
  return { kind: "node", slot, act };
}

function nodeAct(draft: Draft, model: SlotModel): NodeAct | undefined {
  if (!model.exists) return renewed(model, "create");
  const mended = mendingAct(model);
  if (mended !== undefined) return draft.chance(0.7) ? mended(model) : undefined;
  if (draft.whole() <= LEAST_WHOLE) return draft.chance(0.5) ? renewed(model, "replace") : "regroup";
  return broken(model, draft.of(BREAKING_ACTS));
}

function mendingAct({ ready, cordoned, tainted, alive }: SlotModel): ((model: SlotModel) => NodeAct) | undefined {
  if (!ready) return (model) => mended(model, { ready: true }, "ready");
  if (cordoned) return (model) => mended(model, { cordoned: false }, "uncordon");
  if (tainted) return (model) => mended(model, { tainted: false }, "untaint");
  if (!alive) return (model) => mended(model, { alive: true }, "heal");
  return undefined;
}

function mended(model: SlotModel, change: Partial<SlotModel>, act: NodeAct): NodeAct {
  Object.assign(model, change);
  return act;
}

function renewed(model: SlotModel, act: NodeAct): NodeAct {
  const whole = { exists: true, ready: true, cordoned: false, tainted: false, alive: true };
  return mended(model, { ...whole, pod: "ready" }, act);
}

function broken(model: SlotModel, act: NodeAct): NodeAct {
  if (act === "replace") return renewed(model, act);
  if (act === "delete") return mended(model, { exists: false, pod: "absent" }, act);
  if (act === "unready") return mended(model, { ready: false }, act);
  if (act === "cordon") return mended(model, { cordoned: true }, act);
  if (act === "taint" || act === "pressure") return mended(model, { tainted: true }, act);
  return act === "regroup" ? act : mended(model, { alive: false }, act);
}

function podEvent(draft: Draft): Happening | undefined {
  const slot = Math.floor(draft.next() * SLOTS);
  const model = draft.slots[slot];
  if (model?.exists !== true) return undefined;
  const { act, after } = podAct(draft, model.pod);
  model.pod = after;
  return { kind: "pod", slot, act };
}

function podAct(draft: Draft, pod: Presence): { readonly act: PodAct; readonly after: Presence } {
  if (pod === "absent") return { act: "create", after: "ready" };
  if (pod === "unready") return { act: "ready", after: "ready" };
  return draft.chance(0.6) ? { act: "unready", after: "unready" } : { act: "delete", after: "absent" };
}

function endpointEvent(draft: Draft): Happening | undefined {
  const routed = draft.templates.flatMap(({ kind }, place) => (kind === "routed" ? [place] : []));
  if (routed.length === 0) return undefined;
  const template = draft.of(routed);
  const slot = Math.floor(draft.next() * SLOTS);
  const key = `${template}/${slot}`;
  const { act, after } = podAct(draft, draft.endpoints.get(key) ?? "absent");
  draft.endpoints.set(key, after);
  return { kind: "endpoint", template, slot, act };
}

function resourceEvent(draft: Draft): Happening | undefined {
  if (draft.templates.length === 0) return undefined;
  const template = Math.floor(draft.next() * draft.templates.length);
  const kind = draft.templates[template]?.kind;
  if (draft.exists[template] !== true) {
    draft.exists[template] = true;
    return { kind: "resource", template, act: "create" };
  }
  if (draft.paused.delete(template)) return { kind: "resource", template, act: "resume" };
  if (draft.chance(0.12)) {
    draft.exists[template] = false;
    return { kind: "resource", template, act: "delete" };
  }
  return kind === "pool" ? poolEdit(draft, template) : otherEdit(draft, template);
}

function poolEdit(draft: Draft, template: number): Happening {
  const act = draft.of(POOL_EDITS);
  if (act === "pause") draft.paused.add(template);
  if (act === "groups") return { kind: "resource", template, act, groups: twoGroups(draft) };
  if (act === "desired") return { kind: "resource", template, act, value: draft.of([1, 2, 3, 4]) };
  if (act === "grace") return { kind: "resource", template, act, value: draft.of([0, 2, 5]) };
  if (act === "coolOff") return { kind: "resource", template, act, value: draft.of([0, 1, 3]) };
  return { kind: "resource", template, act };
}

function otherEdit(draft: Draft, template: number): Happening {
  if (draft.chance(0.3)) {
    draft.paused.add(template);
    return { kind: "resource", template, act: "pause" };
  }
  if (draft.chance(0.5) && draft.templates[template]?.kind === "set") {
    return { kind: "resource", template, act: "groups", groups: twoGroups(draft) };
  }
  return { kind: "resource", template, act: "grace", value: draft.of([0, 2, 4]) };
}

function twoGroups(draft: Draft): readonly string[] {
  const left = draft.of(GROUPS);
  return GROUPS.filter((group) => group !== left);
}

function handEvent(draft: Draft): Happening {
  const draw = () => draft.of(draft.handEdits >= MOST_HAND_EDITS ? HARMLESS_ACTS : HAND_ACTS);
  const drawn = draw();
  // Each new address of a person's own makes an open creation ambiguous: one in a round is enough.
  const act = drawn === "addAddress" && draft.handAddresses > 0 ? "busyDroplet" : drawn;
  if (act === "addAddress") draft.handAddresses += 1;
  if (!HARMLESS_ACTS.some((harmless) => harmless === act)) draft.handEdits += 1;
  return { kind: "hand", act, pick: draft.next(), other: draft.next() };
}
