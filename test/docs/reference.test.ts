import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  ALL_KINDS,
  CONDITION_TYPES,
  type ConditionType,
  EVENTS,
  type EventFacts,
  type KindName,
  REASON_PLACES,
  REASONS,
  REFUSALS,
  type Reason,
  type ReasonPlace,
} from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { eventMessages } from "../../operator/src/messages/events.js";
import { CATALOGUE } from "../../tools/reference/catalogue.js";
import { MISTAKES } from "../../tools/reference/mistakes.js";

const SOURCES = resolve(import.meta.dirname, "../../operator/src");

/** Reasons that need no action. */
const CALM = ["Observed", "UnderWay", "InGrace", "CoolingOff", "FirewallNotFound", "NodeGone", "NodeDeleting"];

/** Folders of `operator/src` with the kinds that they serve. */
const FOLDERS: Readonly<Record<string, readonly KindName[]>> = {
  "controllers/floating-ip-pool": ["FloatingIPPool"],
  "controllers/node-dns-record-set": ["NodeDNSRecordSet"],
  "controllers/routed-ip": ["RoutedIP"],
  "controllers/routed-ip-issuer": ["RoutedIPIssuer"],
  "controllers/cluster-routed-ip-class": ["ClusterRoutedIPClass"],
  addresses: ["FloatingIPPool", "RoutedIP"],
  // The operator runs the Jobs of a class for a RoutedIP.
  jobs: ["ClusterRoutedIPClass", "RoutedIP"],
};

/** Words in the sources of a folder, without lists of words that are only compared. */
function wordsIn(folder: string, pattern: RegExp): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8").replaceAll(/new Set\(\[[^\]]*\]\)/g, ""));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? "")))];
}

describe("reasons and Events of the operator", () => {
  it("have a remedy if a person must act", () => {
    const empty = Object.entries({ ...REASONS, ...REFUSALS }).filter(([, { remedy }]) => remedy === "");
    expect(empty.map(([reason]) => reason)).to.have.members(CALM);
    const warnings = Object.entries<EventFacts>(EVENTS).filter(
      ([, event]) => event.type === "Warning" && !event.remedy,
    );
    expect(warnings).to.deep.equal([]);
  });

  it("include a reason for each mistake that prevents work, and a remedy for all", () => {
    for (const { what, shows, remedy } of MISTAKES) {
      expect(remedy, what).not.to.equal("");
      if (shows === undefined) continue;
      expect({ ...REASONS, ...REFUSALS }[shows].remedy, what).not.to.equal("");
    }
  });

  it("include each condition type for some kind, with a reason for the good state", () => {
    const types = Object.keys(CONDITION_TYPES) as ConditionType[];
    expect(types.filter((type) => !ALL_KINDS.some(({ conditions }) => conditions.includes(type)))).to.deep.equal([]);
    expect(types).to.have.members([...REASON_PLACES.Observed.conditions]);
  });

  it("have places that exist on the kinds", () => {
    const unshown = Object.entries<ReasonPlace>(REASON_PLACES).flatMap(([reason, { kinds, conditions, ofAddress }]) => {
      return ofAddress ? [] : kinds.filter((kind) => !has(kind, conditions)).map((kind) => `${reason} on ${kind}`);
    });
    expect(unshown).to.deep.equal([]);
  });

  for (const [folder, served] of Object.entries(FOLDERS)) {
    it(`are placed on ${served.join(" or ")} if ${folder} writes them`, () => {
      const words = wordsIn(join(SOURCES, folder), /"([A-Z]\w+)"/g).filter(isReason);
      const reasons = [...words, ...reasonsOfMessages(join(SOURCES, folder))];
      // A reason of Events only needs no place.
      const ofConditions = reasons.filter((reason) => !Object.hasOwn(EVENTS, reason));
      expect(
        ofConditions.filter((reason) => !placesOf(reason).kinds.some((kind) => served.includes(kind))),
      ).to.deep.equal([]);
    });
  }

  it("include each Event that the operator emits, and no other", () => {
    const done = Object.values(eventMessages).map(({ row }) => row.reason());
    const failed: readonly string[] = wordsIn(SOURCES, /\["(\w+(?:Failed|NotWritten))"/g);
    expect(new Set<string>([...done, ...failed])).to.deep.equal(new Set(Object.keys(EVENTS)));
  });
});

/** Reasons of the catalogue's entries that a folder uses. */
function reasonsOfMessages(folder: string): readonly Reason[] {
  return Object.entries(CATALOGUE).flatMap(([name, entries]) => {
    const used = wordsIn(folder, new RegExp(`\\b${name}\\.(\\w+)`, "g"));
    return used.flatMap((key) => entries[key]?.row.reason() ?? []).filter(isReason);
  });
}

function has(name: KindName, types: readonly ConditionType[]): boolean {
  return ALL_KINDS.some(({ kind, conditions }) => kind === name && conditions.some((type) => types.includes(type)));
}

function isReason(word: string): word is Reason {
  return Object.hasOwn(REASONS, word);
}

function placesOf(reason: Reason): ReasonPlace {
  return REASON_PLACES[reason];
}
