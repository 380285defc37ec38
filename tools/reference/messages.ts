import { REASONS, type Reason } from "cdk8s-flipop/api";
import { ACTORS, type Row } from "../../operator/src/messages/message.js";
import { CATALOGUE } from "./catalogue.js";
import { code, generatedFrom, table } from "./markdown.js";

/** Headings by the name of the topic in the catalogue. */
const HEADINGS: Readonly<Record<string, string>> = {
  specMessages: "The spec",
  addressMessages: "Addresses",
  regionMessages: "Regions of addresses",
  accessMessages: "Addresses and names that an administrator does not allow",
  candidateMessages: "Nodes",
  markMessages: "Labels and taints of nodes",
  creationMessages: "Creation of addresses",
  claimMessages: "Conflicts with other resources",
  recordMessages: "DNS records",
  recordRemarks: "DNS records that are in place",
  publishingMessages: "Addresses in the status of other objects",
  providerMessages: "Providers",
  serverMessages: "The API server",
  serviceMessages: "Services",
  tenantMessages: "Limits of namespaces",
  classMessages: "Classes",
  issuerMessages: "Issuers",
  credentialMessages: "Credentials of issuers",
  firewallMessages: "Firewalls",
  firewallRemarks: "Firewalls that let clients through",
  healthMessages: "Probes of nodes",
  jobMessages: "Jobs",
  deletionMessages: "Deletions",
  summaryMessages: "The summary",
};

/** The page on all texts of conditions and Events. */
export function messagesPage(): string {
  const { eventMessages = {}, ...others } = CATALOGUE;
  return [
    ...introduction(),
    ...Object.entries(others).flatMap(([name, topic]) => problemPart(headingOf(name), rowsOf(topic))),
    ...notesPart(Object.values(others).flatMap(rowsOf)),
    ...eventsPart(rowsOf(eventMessages)),
  ].join("\n");
}

type Topic = Readonly<Record<string, { readonly row: Row }>>;

function rowsOf(topic: Topic): readonly Row[] {
  return Object.values(topic).map(({ row }) => row);
}

function headingOf(name: string): string {
  const heading = HEADINGS[name];
  if (heading === undefined) throw new Error(`tools/reference/messages.ts: give topic ${name} a heading in HEADINGS`);
  return heading;
}

function introduction(): readonly string[] {
  return [
    "# Messages",
    "",
    generatedFrom("operator/src/messages"),
    "",
    "Conditions, `status.error` and Events show these texts; the addresses, names and nodes are examples. Search for a few",
    "words of your message. The operator reports each obstacle once as an Event, and in the condition for as long as it lasts.",
    "[conditions.md](conditions.md) explains the reasons, and [events.md](events.md) the Events.",
    "",
  ];
}

function problemPart(heading: string, rows: readonly Row[]): readonly string[] {
  const problems = rows.filter(({ by }) => by !== undefined);
  if (problems.length === 0) return [];
  const cells = problems.map((row) => [row.example(), reasonText(row), cureText(row), ACTORS[row.by ?? "operator"]]);
  return [`## ${heading}`, "", ...table(["message", "reason", "what to do", "who can act"], cells.map(inLine)), ""];
}

function reasonText({ by, reason }: Row): string {
  return by === "cause" ? "that of the cause" : code(reason());
}

function cureText({ by, hasRemedy = false, reason }: Row): string {
  if (hasRemedy) return "As the message says.";
  if (by === "operator") return "Wait.";
  return by === "cause" ? "Remove the cause." : REASONS[reason() as Reason].remedy;
}

function notesPart(rows: readonly Row[]): readonly string[] {
  const notes = rows.filter(({ by }) => by === undefined);
  const cells = notes.map((row) => [row.example(), reasonText(row)]);
  return ["## Nothing to do", "", ...table(["message", "reason"], cells.map(inLine)), ""];
}

function eventsPart(rows: readonly Row[]): readonly string[] {
  const cells = rows.map((row) => [reasonText(row), row.example()]);
  return [
    "## Events of what the operator did",
    "",
    ...table(["reason", "note"], cells.map(inLine)),
    "",
    "The Event of a condition that becomes bad, and of an action that fails, has one of the messages above.",
    "",
  ];
}

/** Markdown takes `<` for a tag. */
function inLine(cells: readonly string[]): readonly string[] {
  return cells.map((text) => text.replaceAll("<", "&lt;").replaceAll("\n", " "));
}
