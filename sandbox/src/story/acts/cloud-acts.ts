/** What befalls the clouds. Each returns what it did, for people. */

import type { Fault } from "../../http/fault.js";
import { isMutating } from "../../http/message.js";
import { editFirewall } from "../firewalls.js";
import { findAddress, findNode } from "../resolve-refs.js";
import { secondsText } from "../scenario/duration.js";
import type { CallKind, CloudName, CloudStep, LosableCall, OutageAnswer } from "../scenario/scenario.js";
import type { Stage } from "../stage.js";

type Outage = Extract<CloudStep, { readonly do: "outage" }>;
type Edit = Extract<CloudStep, { readonly do: "edit-records" }>;
type Move = Extract<CloudStep, { readonly do: "move-address" }>;

const RETRY_AFTER_SECONDS = 20;
const SLOW_MS = 8_000;

const NAMES: Readonly<Record<CloudName, string>> = { digitalocean: "DigitalOcean", cloudflare: "Cloudflare" };

const LOSABLE: Readonly<Record<LosableCall, RegExp>> = {
  "create-address": /^POST \/v2\/reserved_ip(s|v6)$/,
  assign: /^POST \/v2\/reserved_ip(s|v6)\/[^/]+\/actions$/,
  records: /^(POST|PUT|PATCH|DELETE) .*\/(dns_)?records/,
};

/** @param tell called when an outage is over */
export function playCloud(stage: Stage, step: CloudStep, tell: (text: string) => void): string {
  switch (step.do) {
    case "outage":
      return outage(stage, step, tell);
    case "lose-answer":
      stage.world[step.cloud].faults.inject({ kind: "reset", when: "after" }, { on: LOSABLE[step.call] });
      return `the answer to the next "${step.call}" at ${NAMES[step.cloud]} will be lost`;
    case "move-address":
      return moveAddress(stage, step);
    case "edit-firewall":
      return editFirewall(stage.world.digitalocean, step);
    case "edit-records":
      return editRecords(stage, step);
  }
}

function outage({ world, clock }: Stage, { cloud, answer, calls, ms }: Outage, tell: (text: string) => void): string {
  const injected = world[cloud].faults.inject(faultOf(answer), { on: struck(calls), times: Number.POSITIVE_INFINITY });
  clock.setTimer(ms, () => {
    injected.cancel();
    tell(`${NAMES[cloud]} is back; ${injected.fired} calls failed during the outage`);
  });
  return `for ${secondsText(ms)} ${NAMES[cloud]} ${outageText(answer)}${calls === "all" ? "" : ` (${calls} only)`}`;
}

function faultOf(answer: OutageAnswer): Fault {
  if (answer === "silent") return { kind: "timeout" };
  if (answer === "slow") return { kind: "delay", ms: SLOW_MS };
  if (answer === "429") return { kind: "status", status: 429, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return { kind: "status", status: Number(answer) };
}

function outageText(answer: OutageAnswer): string {
  if (answer === "silent") return "does not answer";
  return answer === "slow" ? `takes ${secondsText(SLOW_MS)} for each answer` : `answers ${answer}`;
}

function struck(calls: CallKind) {
  return ({ method }: { readonly method: string }) => calls === "all" || isMutating(method) === (calls === "writes");
}

function moveAddress(stage: Stage, { address, to }: Move): string {
  const ip = findAddress(stage, address);
  if (to === undefined) {
    stage.world.digitalocean.state.setHolder(ip, null);
    return `somebody takes ${ip} off its node in the control panel`;
  }
  if (to.by === "all") throw new Error("this step takes one node");
  const name = findNode(stage, to);
  const node = stage.nodes.find(({ metadata }) => metadata.name === name);
  stage.world.digitalocean.state.setHolder(ip, Number(node?.spec.providerID?.replace("digitalocean://", "")));
  return `somebody moves ${ip} to ${name} in the control panel`;
}

function editRecords(stage: Stage, step: Edit): string {
  const { cloud, name, add, remove } = step;
  if (cloud === "digitalocean") editAtDigitalOcean(stage, step);
  else editAtCloudflare(stage, step);
  const parts = [
    ...(add.length > 0 ? [`adds ${add.join(", ")}`] : []),
    ...(remove.length > 0 ? [`removes ${remove.join(", ")}`] : []),
  ];
  return `somebody edits ${name} at ${NAMES[cloud]}: ${parts.join(", ") || "nothing"}`;
}

function editAtDigitalOcean({ world }: Stage, { zone, name, add, remove }: Edit): void {
  const { dns } = world.digitalocean.state;
  const relative = name === zone ? "@" : name.slice(0, -zone.length - 1);
  for (const value of remove) {
    const record = dns.records(zone, relative).find(({ data }) => data === value);
    if (record === undefined) throw new Error(`${name} has no record ${value}`);
    dns.removeRecord(zone, record.id);
  }
  for (const value of add) dns.addRecord(zone, { type: typeOf(value), name: relative, data: value, ttl: 60 });
}

function editAtCloudflare({ world }: Stage, { zone, name, add, remove }: Edit): void {
  const { cloudflare } = world;
  for (const value of remove) {
    const record = cloudflare.records(zone, name).find(({ content }) => content === value);
    if (record === undefined) throw new Error(`${name} has no record ${value}`);
    cloudflare.zone(zone).records.delete(record.id);
  }
  for (const value of add) cloudflare.addRecord(zone, { type: typeOf(value), name, content: value, ttl: 60 });
}

function typeOf(value: string): "A" | "AAAA" {
  return value.includes(":") ? "AAAA" : "A";
}
