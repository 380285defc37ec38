/** The account of a story, as lines for a terminal. Pure. */

import type { Fact, FirewallState } from "./rules/facts.js";
import type { Verdict } from "./rules/rules.js";
import { allCalls, type CallTotals, type Totals } from "./rules/totals.js";
import { secondsText, storyTime } from "./scenario/duration.js";
import type { Act, CloudName, Scenario } from "./scenario/scenario.js";
import { type Style, table, toned, wrapped } from "./terminal-text.js";

/** Width of `03:07  `. */
const INDENT = 7;
const CLOUD_NAMES: Readonly<Record<CloudName, string>> = { digitalocean: "DigitalOcean", cloudflare: "Cloudflare" };

export function opening(style: Style, { title, about, nodes }: Scenario, speed: number): string {
  const groups = nodes.map(({ name, count }) => `${count} ${name}`).join(", ");
  const count = nodes.reduce((sum, group) => sum + group.count, 0);
  const setting =
    `Simulated in this process: Kubernetes with ${count} nodes (${groups}), DigitalOcean, Cloudflare. ` +
    "Real: the operator. Times are minutes and seconds of the scenario, " +
    `which runs up to ${speed} times as fast as real time.`;
  const paragraphs = [`flipop sandbox: ${title}`, about.trim(), setting];
  return paragraphs
    .filter((text) => text !== "")
    .map((text) => wrapped(style, text.replaceAll(/\s+/g, " "), 0))
    .join("\n\n");
}

export function heading(style: Style, { title, about }: Act, number: number, at: number): string {
  const text = `${storyTime(at)}  Act ${number}: ${title} `;
  const line = toned(style, "bold", text.padEnd(style.width, "-"));
  const more = about.trim().replaceAll(/\s+/g, " ");
  return `\n${line}${more === "" ? "" : `\n${wrapped(style, " ".repeat(INDENT) + more, INDENT)}`}`;
}

/** What the story does. */
export function deed(style: Style, at: number, text: string): string {
  return toned(style, "cyan", wrapped(style, `${storyTime(at)}  * ${text}`, INDENT + 2));
}

/** What the operator and the clouds do; undefined for what only the totals tell. */
export function factLine(style: Style, fact: Fact): string | undefined {
  const line = (text: string) => wrapped(style, `${storyTime(fact.at)}  ${text}`, INDENT + 2);
  switch (fact.kind) {
    case "event":
      return eventLine(style, fact);
    case "records":
      return fact.by === "operator" ? line(`  ${recordsText(fact)}`) : undefined;
    case "failure":
      return toned(style, "red", line(`! FAIL ${fact.what}`));
    case "rest-begins":
      return toned(style, "dim", line("* now nothing happens for a while"));
    default:
      return undefined;
  }
}

/** Reasons of Events that the records themselves tell. */
const TOLD_OTHERWISE = ["RecordsChanged"];

function eventLine(style: Style, { at, warning, reason, about, note }: Extract<Fact, { kind: "event" }>) {
  if (TOLD_OTHERWISE.includes(reason)) return undefined;
  const text = wrapped(style, `${storyTime(at)}  ${warning ? "!" : " "} ${shortOf(about)}: ${note}`, INDENT + 2);
  return warning ? toned(style, "yellow", text) : text;
}

/** `nodes.example.com: + 192.0.2.7, 192.0.2.8; - 192.0.2.1; 24 addresses now`. */
function recordsText({ set, values, before }: Extract<Fact, { kind: "records" }>): string {
  const parts = [
    ...changeText(
      "+",
      values.filter((value) => !before.includes(value)),
    ),
    ...changeText(
      "-",
      before.filter((value) => !values.includes(value)),
    ),
  ];
  const name = set.replace(/^\w+ (\S+) .*$/, "$1");
  return `${name}: ${parts.join("; ")}; ${values.length} address${values.length === 1 ? "" : "es"} now`;
}

function changeText(sign: string, values: readonly string[]): readonly string[] {
  const more = values.length - MOST_VALUES;
  if (values.length === 0) return [];
  return [`${sign} ${values.slice(0, MOST_VALUES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`];
}

/** `FloatingIPPool ingress` is `ingress`: its kind is known to whoever reads its notes. */
function shortOf(about: string): string {
  return about.replace(/^(FloatingIPPool|NodeDNSRecordSet|RoutedIP) /, "");
}

/** An address as the table of a curtain shows it. */
export interface Place {
  readonly ip: string;
  readonly pool: string;
  /** Undefined: on none. */
  readonly node: string | undefined;
  /** `active`, as the status has it. */
  readonly state: string;
  /** `v1.36.1`; empty where the node is gone. */
  readonly version: string;
}

export interface Situation {
  readonly places: readonly Place[];
  /** Values by record set. */
  readonly sets: ReadonlyMap<string, readonly string[]>;
  readonly firewalls: readonly FirewallState[];
}

/** The holders of addresses, the records of names, and the open ports. */
export function situation(style: Style, { places, sets, firewalls }: Situation): string {
  const rows = places.map(({ ip, pool, node = "-", state, version }) => [ip, node, version, state, pool]);
  const addresses =
    rows.length === 0 ? [] : table(style, [["ADDRESS", "NODE", "KUBELET", "STATE", "OF"], ...rows], INDENT);
  const names = [...sets].map(([set, values]) => [set, valuesText(values)]);
  const records = names.length === 0 ? [] : table(style, [["RECORD SET", "VALUES"], ...names], INDENT);
  const lets = firewalls.map(({ name, rules, nodes }) => [name, valuesText(rules), valuesText(nodes)]);
  const walls = lets.length === 0 ? [] : table(style, [["FIREWALL", "LETS IN", "NODES"], ...lets], INDENT);
  const tables = [addresses, records, walls].filter((rows) => rows.length > 0);
  return tables.map((rows) => rows.join("\n")).join("\n\n");
}

const MOST_VALUES = 3;

function valuesText(values: readonly string[]): string {
  return values.length > MOST_VALUES ? `${values.length} addresses` : values.join(", ") || "none";
}

/** Calls so far, and since the last act. */
export function callLine(style: Style, now: Totals, before: Totals): string {
  const { digitalocean: ocean, cloudflare: flare } = now.calls;
  const failed = ocean.failed + flare.failed;
  const text =
    `${counted(allCalls(now) - allCalls(before), "cloud call")}, ${allCalls(now)} so far (DigitalOcean ${ocean.all}, ` +
    `Cloudflare ${flare.all}${failed > 0 ? `; ${failed} failed` : ""}); ` +
    `${counted(now.moves - before.moves, "move")}, ${now.moves} so far`;
  return toned(style, "dim", wrapped(style, " ".repeat(INDENT) + text, INDENT));
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function callsText({ all, writes, failed }: CallTotals): string {
  return `${all}, ${counted(writes, "write")}${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** The end: what it came to, and whether all held that must hold. */
export function summary(style: Style, totals: Totals, verdicts: readonly Verdict[], at: number): string {
  const line = toned(style, "bold", `${storyTime(at)}  Summary `.padEnd(style.width, "-"));
  return ["", line, ...figures(style, totals), "", ...downtimes(style, totals), "", ...checks(style, verdicts)].join(
    "\n",
  );
}

function figures(style: Style, { calls, created, released, moves, kubeWrites }: Totals): readonly string[] {
  const rows = [
    ["moves", String(moves)],
    ["addresses created", `${created}${released > 0 ? `, ${released} released` : ""}`],
    ...(["digitalocean", "cloudflare"] as const).map((cloud) => [
      `calls to ${CLOUD_NAMES[cloud]}`,
      callsText(calls[cloud]),
    ]),
    ["writes to Kubernetes", String(kubeWrites)],
  ];
  return table(style, rows, INDENT);
}

function downtimes(style: Style, { addresses }: Totals): readonly string[] {
  const rows = addresses.map(({ ip, holder = "-", moves, downMs, pool = "-" }) => [
    ip,
    holder,
    String(moves),
    secondsText(downMs),
    pool,
  ]);
  if (rows.length === 0) return [];
  const legend =
    "DOWN: time without a node that serves it, grace periods included, counted from when a node first served it; the operator notices the arrival a few seconds later, when it asks";
  return [
    ...table(style, [["ADDRESS", "NODE", "MOVES", "DOWN", "OF"], ...rows], INDENT),
    toned(style, "dim", wrapped(style, " ".repeat(INDENT) + legend, INDENT)),
  ];
}

const MOST_VIOLATIONS = 5;

function checks(style: Style, verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.flatMap(({ title, violations }) => {
    const word = violations.length === 0 ? toned(style, "green", "PASS") : toned(style, "red", "FAIL");
    const shown = violations.slice(0, MOST_VIOLATIONS);
    const rest = violations.length - shown.length;
    const more = rest > 0 ? [`... and ${rest} more`] : [];
    const told = [...shown, ...more].map((text) => wrapped(style, `${" ".repeat(INDENT + 5)}${text}`, INDENT + 7));
    return [`${" ".repeat(INDENT)}${word} ${title}`, ...told];
  });
}
