import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Chart, YamlOutputType } from "cdk8s";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { parseAllDocuments } from "yaml";
import { FlipopCrds, FlipopOperator, FloatingIPPool } from "../src";
import { FULL_OPERATOR } from "./support/full-operator";

const { FILE_PER_APP, FILE_PER_CHART, FILE_PER_RESOURCE, FOLDER_PER_CHART_FILE_PER_RESOURCE } = YamlOutputType;
const ALL_TYPES = { FILE_PER_APP, FILE_PER_CHART, FILE_PER_RESOURCE, FOLDER_PER_CHART_FILE_PER_RESOURCE };

describe("the output types of cdk8s", () => {
  let outdir: string;

  beforeEach(() => {
    outdir = mkdtempSync(join(tmpdir(), "flipop-output-"));
  });
  afterEach(() => rmSync(outdir, { recursive: true }));

  /** Every object in the files, as text. */
  function written(): readonly string[] {
    const files = readdirSync(outdir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
    const texts = files.map((file) => readFileSync(join(outdir, file), "utf8"));
    const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown));
    return objects.map((object) => JSON.stringify(object)).sort();
  }

  for (const [title, yamlOutputType] of Object.entries(ALL_TYPES)) {
    it(`contain every object of an operator with everything: ${title}`, () => {
      const app = new App({ outdir, yamlOutputType });
      new FlipopCrds(new Chart(app, "crds"), "crds");
      new FlipopOperator(new Chart(app, "flipop"), "operator", FULL_OPERATOR);
      new FloatingIPPool(new Chart(app, "web", { namespace: "team-a" }), "pool", { ips: ["192.0.2.10"] });
      app.synth();
      const objects = app.charts.flatMap((chart) => chart.toJson() as unknown[]);
      expect(objects).to.have.length.above(35);
      expect(written()).to.deep.equal(objects.map((object) => JSON.stringify(object)).sort());
    });
  }

  const pools = (app: App): void => {
    for (const namespace of ["a", "b"]) {
      const chart = new Chart(app, namespace, { namespace });
      new FloatingIPPool(chart, "pool", { metadata: { name: "web" }, ips: [`192.0.2.${namespace === "a" ? 1 : 2}`] });
    }
  };

  it("with a file for each object refuse two objects for one file", () => {
    const app = new App({ outdir, yamlOutputType: FILE_PER_RESOURCE });
    pools(app);
    expect(() => app.synth()).to.throw(
      '[b/pool] metadata.name: the file of FloatingIPPool "web" would overwrite that of a/pool: use another name, or an output type with a file or folder for each chart',
    );
    expect(readdirSync(outdir)).to.deep.equal([]);
  });

  it("with a folder for each chart accept the same two objects, but not in one chart", () => {
    const app = new App({ outdir, yamlOutputType: FOLDER_PER_CHART_FILE_PER_RESOURCE });
    pools(app);
    app.synth();
    expect(written()).to.have.length(2);
    const chart = new Chart(app, "c");
    for (const namespace of ["c", "d"]) {
      new FloatingIPPool(chart, namespace, {
        metadata: { name: "db", namespace },
        ips: [`198.51.100.${namespace === "c" ? 1 : 2}`],
      });
    }
    expect(() => app.synth()).to.throw(
      '[c/d] metadata.name: the file of FloatingIPPool "db" would overwrite that of c/c',
    );
  });

  it("with a file for each chart accept them", () => {
    const app = new App({ outdir });
    pools(app);
    app.synth();
    expect(written()).to.have.length(2);
  });
});
