import { OperatorFeature } from "cdk8s-flipop";
import { expect } from "chai";
import { describe, it } from "mocha";
import { parseAddressRange } from "../../constructs/src/api/access/address-range.js";
import { chartFiles } from "../../tools/helm/chart.js";
import { toTree } from "../../tools/helm/compare-variants.js";
import { conditionOf } from "../../tools/helm/condition.js";
import { fillIn } from "../../tools/helm/fill-in.js";
import { propDocs } from "../../tools/helm/prop-docs.js";
import { ADDRESS_RANGE, MAPPED_RANGE } from "../../tools/helm/refusals/tenant-limits.js";
import { CHART_VALUES, REPLACED_PROPS, VALUES } from "../../tools/helm/values.js";
import type { Probe } from "../../tools/helm/variants.js";

const ALL = Object.values(OperatorFeature);
const { POOLS, DNS, ROUTED_IP, HEALTH_CHECKS } = OperatorFeature;
const probe = (facts: Omit<Probe, "documents">): Probe => ({ documents: new Map(), ...facts });
const lackedByAllBut = (...having: OperatorFeature[]): Probe[] =>
  ALL.filter((feature) => !having.includes(feature)).map((feature) => probe({ feature }));

describe("the Helm chart", () => {
  const files = chartFiles();

  it("has a fixed name, the release as its versions, and templates of the CustomResourceDefinitions", () => {
    expect(files.get("Chart.yaml")).to.match(/^name: flipop$/m);
    expect(files.get("Chart.yaml")).to.match(/^version: 0\.2\.0$/m);
    expect(files.get("Chart.yaml")).to.match(/^appVersion: "0\.2\.0"$/m);
    expect([...files.keys()].filter((file) => file.startsWith("templates/crds/"))).to.have.length(5);
  });

  it("has a value for every prop of the operator, in the same form or in that of most charts", () => {
    const same = Object.keys(VALUES).filter((name) => !(name in CHART_VALUES));
    expect(same.sort()).to.deep.equal([...propDocs().keys()].sort());
    for (const values of Object.values(REPLACED_PROPS)) expect(VALUES).to.include.keys(...values, "crds");
  });

  it("describes every value, with the docstring of its prop if that has the same form", () => {
    const text = (files.get("values.yaml") ?? "").replaceAll("\n# ", " ");
    for (const [name, docs] of propDocs()) expect(text, name).to.include(docs);
  });

  it("does not describe a value's default as refused", () => {
    for (const block of (files.get("values.yaml") ?? "").split("\n\n")) {
      if (/: \[\]$/m.test(block)) expect(block.replaceAll("\n# ", " ")).not.to.match(/empty list is refused/);
    }
  });

  it("accepts only known values", () => {
    const schema = JSON.parse(files.get("values.schema.json") ?? "");
    expect(schema.additionalProperties).to.equal(false);
    expect(Object.keys(schema.properties)).to.deep.equal([...Object.keys(VALUES), "global"]);
  });

  it("takes the same address ranges as the operator", () => {
    const ips = ["0.0.0.0", "255.255.255.255", "256.1.1.1", "01.1.1.1", "1.1.1", "::", "::1", "1::", "1:2:3:4:5:6:7:8"];
    const more = [
      "1:2:3:4:5:6:7::",
      "::2:3:4:5:6:7:8",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1::2::3",
      ":1",
      "1:",
      "12345::",
    ];
    const dotted = [
      "::ffff:1.2.3.4",
      "::FFFF:102:304",
      "0:0:0:0:0:ffff:1:2",
      "::ffff:1:2:3",
      "64:ff9b::1.2.3.4",
      "::1.2.3.4",
    ];
    const last = ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.256", "fe80::1%eth0", "::1.2.3.4:5", ""];
    for (const ip of [...ips, ...more, ...dotted, ...last]) {
      for (const length of ["0", "8", "08", "32", "33", "128", "129", "", "x"]) {
        const range = `${ip}/${length}`;
        const taken = new RegExp(ADDRESS_RANGE).test(range) && !new RegExp(MAPPED_RANGE).test(range);
        expect(taken, range).to.equal(parseAddressRange(range) !== undefined);
      }
    }
  });

  it("contains no sentinel", () => {
    const own = [...files].filter(([file]) => !file.startsWith("templates/crds/"));
    for (const [file, text] of own) expect(text, file).not.to.match(/\bhelm-[a-z]|\b[7-9]\d{5}\b/);
  });
});

describe("the conditions of a template", () => {
  it("are absent if no synthesis lacks the part", () => {
    expect(conditionOf([])).to.equal(undefined);
  });

  it("are the value whose absence removes the part", () => {
    expect(conditionOf([probe({ when: "$.Values.dashboard" })])).to.equal("$.Values.dashboard");
  });

  it("are the features with the part, derived from those that lack it", () => {
    expect(conditionOf(lackedByAllBut(DNS))).to.equal('has "dns" $.Values.features');
    expect(conditionOf(lackedByAllBut(POOLS, ROUTED_IP))).to.equal(
      'or (has "pools" $.Values.features) (has "routedip" $.Values.features)',
    );
  });

  it("are joined without duplicates", () => {
    const twice = probe({ when: "not $.Values.x" });
    expect(conditionOf([twice, twice, probe({ when: "$.Values.y" })])).to.equal("and (not $.Values.x) $.Values.y");
  });
});

describe("the comparison of syntheses", () => {
  const lacking = (value: unknown, other: unknown): readonly string[] => {
    const tree = toTree(value, { counterparts: [{ probe: probe({ when: "there" }), value: other }], lackedBy: [] });
    if (tree.type === "map") return tree.entries.flatMap(([key, { lackedBy }]) => (lackedBy.length > 0 ? [key] : []));
    if (tree.type === "list")
      return tree.items.flatMap(({ lackedBy }, index) => (lackedBy.length > 0 ? [`${index}`] : []));
    return [];
  };

  it("counts a feature that lacks the whole among those that lack a part", () => {
    const [dns, health] = [probe({ feature: DNS }), probe({ feature: HEALTH_CHECKS })];
    const tree = toTree({ a: 1, b: 2 }, { counterparts: [{ probe: dns, value: { a: 1 } }], lackedBy: [health] });
    const lackedBy = tree.type === "map" ? tree.entries.map(([key, part]) => [key, part.lackedBy]) : [];
    expect(lackedBy).to.deep.equal([
      ["a", []],
      ["b", [dns, health]],
    ]);
  });

  it("finds a key that another synthesis lacks", () => {
    expect(lacking({ a: 1, b: 2 }, { a: 5 })).to.deep.equal(["b"]);
  });

  it("finds an item that a shorter list lacks", () => {
    expect(lacking([{ x: 1 }, { x: 2 }, { x: 3 }], [{ x: 1 }, { x: 3 }])).to.deep.equal(["1"]);
  });

  it("compares lists of the same length item by item", () => {
    expect(lacking([{ x: 1 }], [{ x: 2 }])).to.deep.equal([]);
  });
});

describe("the text of a template", () => {
  it("has values instead of sentinels", () => {
    expect(fillIn("helm-name-metrics in helm-namespace", undefined)).to.equal(
      '{{ include "flipop.fullname" $ }}-metrics in {{ $.Release.Namespace }}',
    );
  });

  it("has the namespace of a loop inside of it, and the whole list elsewhere", () => {
    expect(fillIn("helm-watch", "helm-watch")).to.equal("{{ $namespace }}");
    expect(fillIn("helm-watch", undefined)).to.equal('{{ join "," $.Values.watchNamespaces }}');
  });

  it("escapes the braces of Prometheus and Grafana", () => {
    expect(fillIn("Pool {{ $labels.name }}", undefined)).to.equal('Pool {{ "{{" }} $labels.name }}');
  });
});
