import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import { parse } from "yaml";
import type { Derived } from "../support/example-provider.js";

const ROOT = resolve(import.meta.dirname, "../..");
/** Places besides the provider's own folder. */
const MOST_PLACES = 4;

describe("a new provider in the table of the type model", function () {
  this.timeout(120_000);
  let derived: Derived;
  before(async () => {
    const args = ["--import", "tsx", "--import", "./test/support/example-row.ts", "test/support/example-provider.ts"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
    derived = JSON.parse(stdout) as Derived;
  });

  it("has its variables in the help and on the page of flags", () => {
    for (const text of [derived.help, derived.flagsPage])
      for (const variable of ["EXAMPLE_TOKEN", "EXAMPLE_TOKEN_FILE", "EXAMPLE_API_URL", "EXAMPLE_USER_AGENT"])
        expect(text).to.match(new RegExp(`\\b${variable}\\b`));
  });

  it("is set up by the operator from its token", () => {
    expect(derived.registered).to.deep.equal(["example"]);
  });

  it("gets its token from the Secret that its prop names", () => {
    const variable = {
      name: "EXAMPLE_TOKEN",
      valueFrom: { secretKeyRef: { name: "mine", key: "token", optional: true } },
    };
    const deployment = derived.manifests.find((manifest) => (manifest as { kind: string }).kind === "Deployment");
    expect(deployment).to.have.nested.property("spec.template.spec.containers[0].env").that.deep.includes(variable);
  });

  it("has the same checks as the others: for its token, its prop and its TTLs", () => {
    const { problems } = derived;
    expect(problems).to.include("env.EXAMPLE_TOKEN: a manifest must not contain a token: use prop example with");
    expect(problems).to.include("env.OTHER: the value looks like an API token (not shown here)");
    expect(problems).to.include("digitalOcean, cloudflare or example with Credentials");
    expect(problems).to.include('example: "a-token" is not Credentials');
    expect(problems).to.include("600 seconds is not a TTL of Example: give 0 (automatic) or 30 to 300 seconds");
  });

  it("is a value of the Helm chart, with a schema, in the templates, the notes and the keywords", () => {
    const file = (name: string): string => derived.chart[name] ?? "";
    expect(parse(file("values.yaml"))).to.deep.include({ example: { secretName: "flipop", key: "EXAMPLE_TOKEN" } });
    expect(JSON.parse(file("values.schema.json"))).to.have.nested.property("properties.example.required");
    expect(file("templates/_refusals.tpl"), "no value may be a token").to.include("ex_[0-9a-f]{20,}");
    expect(Object.values(derived.chart).join("")).to.include('name: "{{ $.Values.example.secretName }}"');
    expect(file("templates/NOTES.txt")).to.include("Example:      Secret {{ .Values.example.secretName }}");
    expect(parse(file("Chart.yaml")).keywords).to.include("example");
  });

  it("is among the remedies of the reference", () => {
    expect(derived.mistakes).to.include("`digitalocean` or `cloudflare` or `example`, and give the operator a token");
  });
});

describe("the page on adding a provider", () => {
  it(`names at most ${MOST_PLACES} places besides the provider's folder, and each exists`, () => {
    const page = readFileSync(resolve(ROOT, "docs/how-to/add-a-provider.md"), "utf8");
    const places = [...page.matchAll(/^\d+\. `([^`]+\.ts)`/gm)].map(([, path = ""]) => path);
    expect(places.length).to.be.within(2, MOST_PLACES);
    for (const path of places) expect(existsSync(resolve(ROOT, path)), path).to.equal(true);
  });
});
