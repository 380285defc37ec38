/** A plan read aloud: which addresses come and go, and why. */

import type { Publication } from "./publication.js";
import type { Snapshot } from "./snapshot.js";

/** `game: + 203.0.113.7 (node-9); - 203.0.113.5 (node-3: NodeNotReady)`; empty where nothing changes. */
export function changeText(snapshot: Snapshot, { entries }: Publication): string {
  const { metadata, status } = snapshot.resource;
  const before = status.addresses ?? [];
  const [was, is] = [before, entries].map((list) => new Set(list.map(({ address }) => address)));
  const come = entries
    .filter(({ address }) => was?.has(address) !== true)
    .map(({ address, nodeName }) => `+ ${address} (${nodeName})`);
  const gone = before
    .filter(({ address }) => is?.has(address) !== true)
    .map(({ address, nodeName }) => `- ${address} (${nodeName}${whyGone(snapshot, nodeName)})`);
  const changes = [...come, ...gone];
  if (changes.length === 0) return "";
  const shown = changes.slice(0, SHOWN).join("; ");
  const more = changes.length > SHOWN ? `; and ${changes.length - SHOWN} more` : "";
  return `${metadata.name}: ${shown}${more}`;
}

function whyGone({ verdictOf }: Snapshot, nodeName: string): string {
  const verdict = verdictOf(nodeName);
  if (verdict === undefined) return ": NodeGone";
  const reasons = verdict.refusals.map(({ reason }) => reason);
  return reasons.length === 0 ? ": its address changed" : `: ${reasons.join(", ")}`;
}

/** An Event's note holds 1,024 bytes. */
const SHOWN = 12;
