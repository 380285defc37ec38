import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  ALL_KINDS,
  Annotation,
  API_GROUP,
  CONDITION_TYPES,
  CONTROLLER_NAME,
  ELECTED_NODE_TAINT,
  EVENTS,
  Finalizer,
  FLAGS,
  HOLDER_LABEL_PREFIX,
  Label,
  LOAD_BALANCER_CLASS,
  REASONS,
  REFUSALS,
  UNTIL_ASSIGNED_PREFIX,
} from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FLIPOP_METRICS, RUNTIME_METRICS } from "../../operator/src/metrics/definitions.js";
import packageJson from "../../package.json" with { type: "json" };
import { pages, pageText, shellLines } from "../support/docs.js";

const DOCS = resolve(import.meta.dirname, "../../docs");

const ROOT = resolve(DOCS, "..");
const MOST_WORDS = 30;
const GUIDES = [
  "bring-your-own-cloud",
  "give-a-service-an-address",
  "gitops",
  "install",
  "migrate-from-the-go-operator",
  "migrate-from-the-routedip-operator",
  "troubleshoot",
  "uninstall",
];

interface Entry {
  readonly word: string;
  /** What it is not called. */
  readonly not: readonly string[];
}

/** The tables of the glossary, by heading. */
function glossary(): ReadonlyMap<string, readonly Entry[]> {
  const sections = pageText("reference/glossary.md").split("\n## ").slice(1);
  return new Map(sections.map((section) => [section.split("\n")[0] ?? "", entriesOf(section)]));
}

function entriesOf(section: string): readonly Entry[] {
  const rows = [...section.matchAll(/^\| (.+?) \| .+? \|(.*)\|$/gm)].slice(2);
  return rows.map(([, word = "", not = ""]) => ({ word, not: not.split(",").flatMap((text) => text.trim() || []) }));
}

/** Text for readers: pages, meanings and remedies, and the sentences in the operator's sources. */
function prose(): readonly (readonly [string, string])[] {
  const texts = pages()
    .filter((page) => page !== "reference/glossary.md")
    .map((page) => [page, pageText(page)] as const);
  const readmes = ["README.md", "CONTRIBUTING.md", "constructs/README.md"].map((page) => [page, read(page)] as const);
  const said = ["addresses", "controllers", "jobs", "match", "providers", "reconcile", "records", "runtime"].flatMap(
    (folder) => sentences(`operator/src/${folder}`),
  );
  const meanings = ["condition-types", "reasons", "events", "node-refusals", "config"].flatMap((file) => [
    [`${file}.ts`, read(`constructs/src/api/${file}.ts`)] as const,
  ]);
  return [...texts, ...readmes, ...meanings, ...said];
}

function sentences(folder: string): readonly (readonly [string, string])[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => name.endsWith(".ts")).map((name) => `${folder}/${name}`);
  return sources.map((path) => {
    const strings = read(path).match(/"[^"\n]*"|`[^`]*`/g) ?? [];
    return [path, strings.filter((text) => text.includes(" ")).join("\n")] as const;
  });
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Names under flipop's group, without the group. */
const NAMES = [
  ...[Annotation, Label, Finalizer].flatMap((names) => Object.values(names)),
  CONTROLLER_NAME,
  ELECTED_NODE_TAINT.key,
  LOAD_BALANCER_CLASS,
].map((name) => name.replace(`${API_GROUP}/`, ""));

/** Names of resources follow. */
const MARKS = [HOLDER_LABEL_PREFIX, UNTIL_ASSIGNED_PREFIX];

describe("the pages of docs/how-to, docs/reference and docs/tutorials", () => {
  for (const page of pages()) {
    it(`${page} links to existing files`, () => {
      const links = [...pageText(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link);
      const files = links.filter((link) => !link.includes("://"));
      expect(files.filter((link) => !existsSync(join(DOCS, dirname(page), link)))).to.deep.equal([]);
    });

    it(`${page} names annotations, metrics and scripts that exist`, () => {
      const names = [...pageText(page).matchAll(/flipop\\?\.digitalocean\\?\.com\/([a-z0-9-]+)/g)].map(
        ([, name]) => name,
      );
      const isMark = (name = "") => MARKS.some((prefix) => `${API_GROUP}/${name}`.startsWith(prefix));
      const unknown = names.filter((name) => !NAMES.includes(name ?? "") && !isMark(name));
      expect(unknown.filter((name) => name !== "v1alpha1")).to.deep.equal([]);
      const metrics = [...pageText(page).matchAll(/`(flipop_[a-z_]+)/g)].map(([, name = ""]) => name);
      const known = [...FLIPOP_METRICS, ...RUNTIME_METRICS].map((metric) => metric.name);
      expect(metrics.filter((name) => !known.includes(name))).to.deep.equal([]);
      const scripts = shellLines(page).flatMap((line) => [...line.matchAll(/npm run ([a-z:]+)/g)]);
      expect(scripts.filter(([, name = ""]) => !Object.hasOwn(packageJson.scripts, name))).to.deep.equal([]);
    });
  }

  for (const page of GUIDES) {
    const text = pageText(`how-to/${page}.md`);

    it(`how-to/${page}.md names reasons, conditions and flags that exist`, () => {
      const said = [...text.matchAll(/`([A-Z][a-z]+[A-Z]\w+)(?:=\w+)?`/g)].map(([, word = ""]) => word);
      const words = [REASONS, REFUSALS, EVENTS, CONDITION_TYPES].flatMap((facts) => Object.keys(facts));
      const kinds = [...ALL_KINDS.map(({ kind }) => kind), "FlipopOperator", "FlipopCrds"];
      expect(said.filter((word) => ![...words, ...kinds].includes(word))).to.deep.equal([]);
      const flags = [...text.matchAll(/`--([a-z-]+)`/g)].map(([, name = ""]) => name);
      const ofOthers = ["namespace", "create-namespace", "kube-version", "force-conflicts"];
      expect(
        flags.filter((name) => !FLAGS.some((flag) => flag.name === name) && !ofOthers.includes(name)),
      ).to.deep.equal([]);
    });
  }
});

describe("the glossary", () => {
  for (const [section, entries] of glossary()) {
    it(`${section}: has ${MOST_WORDS} words at most, in order`, () => {
      const words = entries.map(({ word }) => word.toLowerCase());
      expect(words)
        .to.have.length.within(1, MOST_WORDS)
        .and.deep.equal([...words].sort());
    });
  }

  for (const { word, not } of [...glossary().values()].flat()) {
    for (const other of not) {
      it(`says ${word}, not ${other}`, () => {
        const pattern = new RegExp(`\\b${other}\\b`, other === other.toLowerCase() ? "i" : "");
        const found = prose().filter(([, text]) =>
          pattern.test(text.replaceAll(/`[^`\n]+`/g, (code) => (code.includes(" ") ? code : ""))),
        );
        expect(found.map(([where]) => where)).to.deep.equal([]);
      });
    }
  }
});
