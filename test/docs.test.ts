import { existsSync } from "node:fs";
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
  Label,
  REASONS,
  REFUSALS,
} from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FLIPOP_METRICS } from "../operator/src/metrics/flipop.js";
import { RUNTIME_METRICS } from "../operator/src/metrics/runtime.js";
import packageJson from "../package.json" with { type: "json" };
import { pages, pageText, shellLines } from "./support/docs.js";

const DOCS = resolve(import.meta.dirname, "../docs");

/** Names under our group, without the group. */
const NAMES = [
  ...[Annotation, Label, Finalizer].flatMap((names) => Object.values(names)),
  CONTROLLER_NAME,
  ELECTED_NODE_TAINT.key,
].map((name) => name.replace(`${API_GROUP}/`, ""));

describe("the pages of docs/how-to and docs/reference", () => {
  for (const page of pages()) {
    it(`${page} leads to files that are there`, () => {
      const links = [...pageText(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link);
      const files = links.filter((link) => !link.includes("://"));
      expect(files.filter((link) => !existsSync(join(DOCS, dirname(page), link)))).to.deep.equal([]);
    });

    it(`${page} names annotations, metrics and scripts that exist`, () => {
      const names = [...pageText(page).matchAll(/flipop\\?\.digitalocean\\?\.com\/([a-z0-9-]+)/g)].map(
        ([, name]) => name,
      );
      expect(names.filter((name) => !NAMES.includes(name ?? "") && name !== "v1alpha1")).to.deep.equal([]);
      const metrics = [...pageText(page).matchAll(/`(flipop_[a-z_]+)/g)].map(([, name = ""]) => name);
      const known = [...FLIPOP_METRICS, ...RUNTIME_METRICS].map((metric) => metric.name);
      expect(metrics.filter((name) => !known.includes(name))).to.deep.equal([]);
      const scripts = shellLines(page).flatMap((line) => [...line.matchAll(/npm run ([a-z:]+)/g)]);
      expect(scripts.filter(([, name = ""]) => !Object.hasOwn(packageJson.scripts, name))).to.deep.equal([]);
    });
  }

  for (const page of ["install", "migrate-from-the-go-operator", "troubleshoot", "uninstall"]) {
    const text = pageText(`how-to/${page}.md`);

    it(`how-to/${page}.md names reasons, conditions and flags that exist`, () => {
      const said = [...text.matchAll(/`([A-Z][a-z]+[A-Z]\w+)(?:=\w+)?`/g)].map(([, word = ""]) => word);
      const words = [REASONS, REFUSALS, EVENTS, CONDITION_TYPES].flatMap((facts) => Object.keys(facts));
      const kinds = [...ALL_KINDS.map(({ kind }) => kind), "FlipopOperator", "FlipopCrds"];
      expect(said.filter((word) => ![...words, ...kinds].includes(word))).to.deep.equal([]);
      const flags = [...text.matchAll(/`--([a-z-]+)`/g)].map(([, name = ""]) => name);
      const ofOthers = ["namespace"];
      expect(
        flags.filter((name) => !FLAGS.some((flag) => flag.name === name) && !ofOthers.includes(name)),
      ).to.deep.equal([]);
    });
  }
});
