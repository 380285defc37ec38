import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type Actor, partsOf } from "../operator/src/messages/message.js";
import { repeatedTexts, searches, show, textsOutside } from "../tools/messages/findings.js";
import { CATALOGUE } from "../tools/reference/catalogue.js";

const SOURCES = resolve(import.meta.dirname, "../operator/src");
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const sources = files.sort().map((file) => ({ file, text: readFileSync(join(SOURCES, file), "utf8") }));
const isIn = (folders: readonly string[]) => (source: { readonly file: string }) =>
  folders.some((folder) => source.file.startsWith(`${folder}/`));

/** Folders whose texts conditions and Events show. */
const SHOWN = [
  "addresses",
  "claims",
  "records",
  "routing",
  "jobs",
  "reconcile",
  "controllers",
  "match",
  "publishing",
  "health",
  "providers",
];

/** Files and folders whose texts are values of a message: what is wrong with a field or a node, and what a provider's answer means. */
const VALUES = [
  ...["match/compile-match.ts", "match/checks.ts", "match/node-workload.ts", "routing/endpoint-workload.ts"],
  ...["health/witness.ts", "health/standby/repeated-probe.ts", "providers/cloudflare/", "providers/diff.ts"],
  "providers/digitalocean/",
];
const isOf =
  (place: string) =>
  ({ file }: { readonly file: string }) =>
    place.endsWith("/") ? file.startsWith(place) : file === place;

/** Texts of an API that gives no code for what the operator has to know. */
const FOREIGN_TEXTS: Readonly<Record<string, string>> = {
  "kube/client.ts":
    "the API server has no code for a storage that starts or for Pod Security, and had none for a version ahead of it",
  "kube/watch/reflector-rules.ts": "the API server refuses an option of a list by its name only",
  "providers/digitalocean/unprocessable.ts":
    "DigitalOcean answers 422 for many things, which only the text distinguishes",
};

describe("the texts of conditions and Events", () => {
  it("are in the catalogue, operator/src/messages", () => {
    const found = sources.filter(isIn(SHOWN)).flatMap(textsOutside);
    const outside = found.filter((place) => !VALUES.some((value) => isOf(value)(place)));
    expect(outside.map((place) => `${show(place)}: ${place.what}`)).to.deep.equal([]);
    expect(
      VALUES.filter((value) => !found.some(isOf(value))),
      "exceptions without a text",
    ).to.deep.equal([]);
  });

  it("are all in CATALOGUE, from which the reference page is made", () => {
    const topics = sources
      .filter(isIn(["messages"]))
      .flatMap(({ text }) => [...text.matchAll(/const (\w+) = topic\(/g)]);
    expect(Object.keys(CATALOGUE)).to.have.members(topics.map(([, name]) => name));
  });

  it("decide nothing, except for foreign texts where an API gives no code", () => {
    const found = new Set(sources.flatMap(searches).map(({ file }) => file));
    expect([...found]).to.deep.equal(Object.keys(FOREIGN_TEXTS));
  });

  it("stand in the code once", () => {
    expect(repeatedTexts(sources.filter(isIn(["messages"])))).to.deep.equal([]);
  });
});

describe("the texts of obstacles", () => {
  /** What names the person, or the operator, that can remove the obstacle; a message about the reader's own resource needs none. */
  const NAMES: Readonly<Record<Exclude<Actor, "cause">, RegExp>> = {
    operator: /the operator (waits|tries|reads|creates|moves|assigns)|; it (creates|assigns)/,
    author: /./,
    other: /author of|one of the two|there/,
    administrator: /administrator|author of/,
    account: /owner of the/,
  };
  const rows = Object.values(CATALOGUE).flatMap((topic) => Object.values(topic).map(({ row }) => row));

  it("name who can remove the obstacle, unless it is the reader", () => {
    const silent = rows.filter(({ by, example }) => by !== undefined && by !== "cause" && !NAMES[by].test(example()));
    expect(silent.map(({ id, example }) => `${id}: ${example()}`)).to.deep.equal([]);
  });

  it("say what to do, unless the operator does it", () => {
    const open = rows.filter(({ by, hasRemedy }) => by !== undefined && hasRemedy !== true);
    expect(open.filter(({ by }) => by !== "cause" && by !== "operator").map(({ id }) => id)).to.deep.equal([]);
  });

  /** The API's own rules say both in one sentence, at synthesis and on the server, too. */
  const OF_RULES = ["spec.missing", "spec.invalid"];

  it("say after `fix:` what a person can do, and only there", () => {
    const cures = rows.filter(({ by, hasRemedy }) => by !== "cause" && by !== "operator" && hasRemedy === true);
    const unmarked = cures.filter(({ id, example }) => partsOf(example()).length === 1 && !OF_RULES.includes(id));
    expect(unmarked.map(({ id, example }) => `${id}: ${example()}`)).to.deep.equal([]);
    const advice = /\b(have the (owner|cluster|author)|if this lasts|ask the|by hand)\b/;
    const early = rows.filter(({ by, example }) => by !== undefined && advice.test(partsOf(example())[0]));
    expect(early.map(({ id, example }) => `${id}: ${example()}`)).to.deep.equal([]);
  });
});

describe("the search for texts outside the catalogue", () => {
  const outside = (text: string) => textsOutside({ file: "a.ts", text }).map(({ line }) => line);
  const searched = (text: string) => searches({ file: "a.ts", text }).map(({ what }) => what);

  it("finds literals that become a message, wherever they are in the expression", () => {
    expect(outside(`const message = \`\${ip} is gone\`;`)).to.deep.equal([1]);
    expect(outside('return {\n  reason: "Invalid",\n  message: ready ? "" : "is not ready",\n};')).to.deep.equal([3]);
    expect(outside('yes("Ready", { reason: "Observed", ...{ message: a + "all is well" } })')).to.deep.equal([1, 1]);
    expect(outside('conditionEvent(x, "Some words")')).to.deep.equal([1]);
    expect(outside('return { kind: "Terminal", remedy: "correct region" };')).to.deep.equal([1]);
  });

  it("leaves values, names and messages of the catalogue alone", () => {
    expect(outside('const message = creationMessages.noRegion({ region: "a b" });')).to.deep.equal([]);
    expect(outside('no("Ready", problem); const { message } = x; f({ message, why: "it is late" });')).to.deep.equal(
      [],
    );
  });

  it("finds calls that look into a message", () => {
    expect(searched('if (error.message.includes("gone")) x();')).to.deep.equal(['error.message.includes("gone")']);
    expect(
      searched('(cause.message ?? "").startsWith("a"); /gone/.test(note); /x/.exec(problem.message)'),
    ).to.have.length(3);
    expect(searched('names.includes(message); text.split(","); /a/.test(name)')).to.deep.equal([]);
  });

  it("finds a text that stands twice, also as a part of a template", () => {
    const first = { file: "a.ts", text: 'const a = "the account does not have this address";' };
    const second = { file: "b.ts", text: `const b = \`\${ip} the account does not have this address\${more}\`;` };
    expect(repeatedTexts([first])).to.deep.equal([]);
    expect(repeatedTexts([first, second])).to.have.length(1);
  });
});
