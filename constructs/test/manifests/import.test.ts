import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { stringify } from "yaml";
import { KINDS } from "../../src/api";
import { importManifests, LANGUAGES } from "../../src/manifests/import";
import { written } from "../../src/manifests/manifest-object";
import { readManifests } from "../../src/manifests/read";
import { FULL_SPECS } from "../data/full-specs";
import { REFERENCE_SPECS } from "../data/good-manifests";
import { type Manifest, manifests } from "../support/manifest-arbitraries";
import { runTypeScript } from "../support/run-code";

const API_VERSION = "flipop.digitalocean.com/v1alpha1";
const ROOT = resolve(__dirname, "../../..");

function imported(objects: readonly object[], language = "typescript") {
  const text = objects.map((object) => stringify(object, { version: "1.1" })).join("---\n");
  const { sources } = readManifests([{ name: "all.yaml", text }]);
  return importManifests(sources, LANGUAGES[language] ?? (() => ""));
}

function sorted(objects: readonly object[]): readonly object[] {
  const keyOf = (object: object): string => {
    const { kind, metadata } = object as Manifest;
    return `${kind} ${metadata.namespace} ${metadata.name}`;
  };
  return [...objects].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** Objects of fast-check may have no prototype. */
function plainly(object: Manifest): Manifest {
  return JSON.parse(JSON.stringify(written(object))) as Manifest;
}

const SAMPLES: readonly Manifest[] = [...REFERENCE_SPECS, ...FULL_SPECS].map(({ kind, spec }, index) => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name: `sample-${index}`, ...(KINDS[kind].scope === "Cluster" ? {} : { namespace: `team-${index}` }) },
  spec,
}));

describe("cdk8s-flipop import", () => {
  it("writes TypeScript that synthesises to the same objects", () => {
    fc.assert(
      fc.property(manifests, (objects) => {
        const { code } = imported(objects);
        expect(sorted(runTypeScript(code))).to.deep.equal(sorted(objects.map(plainly)));
      }),
      { numRuns: 150 },
    );
  });

  it("uses constructs for the specs of the tests, unless a construct refuses them", () => {
    const results = SAMPLES.map((sample) => ({ sample, ...imported([sample]) }));
    for (const { sample, code } of results) expect(runTypeScript(code)).to.deep.equal([sample]);
    const reasons = results
      .flatMap(({ notes }) => notes)
      .map((note) => note.replace(/^.*because no construct writes it: /, ""));
    expect(reasons).to.deep.equal([
      'region: is missing, but 1 of 1 addresses must be created: give their region, such as "nyc3"',
      'ips[1]: "2001:DB8::1" is listed twice: remove one',
      ...[1, 2, 3, 4].map(
        () =>
          "implementation.updateRoutedIP.ttlSecondsAfterFinished: 60 has no effect, because the operator sets 3600: remove it",
      ),
    ]);
  });

  it("is tested with every field", () => {
    for (const [kind, { spec }] of Object.entries(KINDS)) {
      const fields = FULL_SPECS.filter((sample) => sample.kind === kind).flatMap((sample) => Object.keys(sample.spec));
      expect(fields, kind).to.include.members(Object.keys(spec.properties));
    }
  });

  it("has a prop for every field except four", () => {
    const codes = FULL_SPECS.map(({ kind, spec }) =>
      imported([{ apiVersion: API_VERSION, kind, metadata: { name: "a" }, spec }]),
    );
    const paths = codes.flatMap(({ code }) =>
      [...code.matchAll(/JsonPatch\.\w+\(\s*"([^"]+)"/g)].map(([, path]) => path),
    );
    // A toleration without an operator, the fallback for the provider of a record set, and a default of HTTPS alone.
    expect(paths).to.deep.equal([
      "/spec/match/tolerations",
      "/spec/provider",
      "/spec/match/tolerations",
      "/spec/healthCheck/insecureSkipVerify",
    ]);
  });

  it("leaves out objects whose metadata no code can have, and says why", () => {
    const all = [{}, { name: "" }, { name: 5 }, { name: "a", namespace: 5 }, { name: "a", finalizers: 3 }];
    const objects = all.map((metadata) => ({ apiVersion: "v1", kind: "ConfigMap", metadata }));
    const { notes } = imported(objects);
    expect(notes.map((note) => note.replace(/.* is left out: /, "").replace(/:.*/, ""))).to.deep.equal([
      "metadata.name is missing",
      "metadata.name is missing",
      "metadata.name 5 is not text",
      "metadata.namespace 5 is not text",
      "metadata.finalizers 3 is not a list",
    ]);
  });

  it("leaves out the annotations that kubectl and the operator write, and keeps those of people", () => {
    const kept = { "flipop.digitalocean.com/ignore-mass-failure": "true" };
    const left = {
      "flipop.digitalocean.com/created-ips": "192.0.2.1",
      "flipop.digitalocean.com/pending-creation": "{}",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
    };
    const pool = { apiVersion: API_VERSION, kind: "FloatingIPPool", spec: { ips: ["192.0.2.1"] } };
    const { code } = imported([{ ...pool, metadata: { name: "a", annotations: { ...kept, ...left } } }]);
    const [object] = runTypeScript(code);
    expect(object).to.have.deep.nested.property("metadata.annotations", kept);
  });

  it("formats TypeScript as biome does", () => {
    const folder = mkdtempSync(join(mkdirOf(join(ROOT, "constructs/coverage")), "format-"));
    try {
      const samples = fc.sample(manifests, 60);
      for (const [index, objects] of [SAMPLES, ...samples].entries()) {
        writeFileSync(join(folder, `${index}.ts`), imported(objects).code);
      }
      const options = ["format", "--vcs-enabled=false", "--config-path", ROOT, folder];
      const run = () =>
        execFileSync(join(ROOT, "node_modules/.bin/biome"), options, { encoding: "utf8", stdio: "pipe" });
      expect(run).not.to.throw();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function mkdirOf(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}
