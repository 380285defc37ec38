import { Testing } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FlipopOperator, type FlipopOperatorProps, type TenantLimits } from "../../src";
import { limitsOfNamespace, parseTenantLimits } from "../../src/api";
import { untyped } from "../support/untyped";
import { find, synthOperator, titles } from "./synth";

const LIMITS: TenantLimits = {
  maxCreatedAddresses: 20,
  namespaces: [
    { names: ["ingress"] },
    { names: ["team-*"], allowedNames: ["*.{namespace}.example.com"], maxCreatedAddresses: 0 },
  ],
};
const POLICY = "flipop-tenants";

function args(tenantLimits?: TenantLimits): readonly string[] {
  const deployment = find(synthOperator(tenantLimits && { tenantLimits }), "Deployment", "flipop");
  const { template } = deployment["spec"] as { template: { spec: { containers: { args: string[] }[] } } };
  return template.spec.containers[0]?.args ?? [];
}

/** An entry with 8 names of its own. */
function entry(index: number): object {
  const names = Array.from({ length: 8 }, (_, name) => `${"a".repeat(40)}-${index}-${name}.{namespace}.example.com`);
  return { names: [`team-${index}`], allowedNames: names };
}

function longLimits(entries: number) {
  return { namespaces: Array.from({ length: entries }, (_, index) => entry(index)) };
}

/** Lines of the error that synthesis throws. */
function problems(tenantLimits: unknown, props: FlipopOperatorProps = {}): string {
  const chart = Testing.chart();
  new FlipopOperator(chart, "operator", { ...props, tenantLimits: untyped(tenantLimits) });
  try {
    Testing.synth(chart);
    return "";
  } catch (error) {
    return String(error);
  }
}

describe("limits of tenants", () => {
  it("reach the operator as JSON, which it parses to the same limits", () => {
    const flag = args(LIMITS).find((arg) => arg.startsWith("--tenant-limits=")) ?? "";
    expect(parseTenantLimits(flag.slice("--tenant-limits=".length)).limits).to.deep.equal(LIMITS);
    expect(args().join()).not.to.contain("tenant-limits");
    expect(args({}).join()).not.to.contain("tenant-limits");
  });

  it("come with a policy only if they limit a namespace, and admissionPolicy is not false", () => {
    const policies = (props: object) => titles(synthOperator(props)).filter((title) => title.includes(POLICY));
    expect(policies({ tenantLimits: LIMITS })).to.have.length(2);
    expect(policies({})).to.deep.equal([]);
    expect(policies({ tenantLimits: { maxCreatedAddresses: 5 } })).to.deep.equal([]);
    expect(policies({ tenantLimits: LIMITS, admissionPolicy: false })).to.deep.equal([]);
  });

  it("are data of one type in the policy, and keep the operator's own writes out", () => {
    const policy = find(synthOperator({ tenantLimits: LIMITS }), "ValidatingAdmissionPolicy", POLICY);
    const spec = policy["spec"] as {
      variables: { name: string; expression: string }[];
      matchConditions: { expression: string }[];
    };
    const { expression = "" } = spec.variables.find(({ name }) => name === "limits") ?? {};
    expect(JSON.parse(expression)).to.deep.equal([
      { names: ["ingress"] },
      { names: ["team-*"], allowedNames: ["*.{namespace}.example.com"], capped: ["0"] },
    ]);
    expect(spec.matchConditions[0]?.expression).to.contain("!= 'system:serviceaccount:flipop:flipop'");
  });

  it("are accepted if an entry has an exception before it, or shares some of its namespaces", () => {
    expect(
      problems({ namespaces: [{ names: ["team-a", "*-prod"] }, { names: ["team-*"] }, { names: ["*"] }] }),
    ).to.equal("");
  });

  const mistakes: readonly (readonly [title: string, limits: unknown, message: RegExp])[] = [
    [
      "an entry after one that names its namespaces",
      { namespaces: [{ names: ["x", "te*"] }, { names: ["team-*"] }] },
      /namespaces\[1\]\.names\[0\].* "team-\*" never applies: namespaces\[0\] names it, too, and the first entry counts/,
    ],
    [
      "a misspelt field",
      { namespaces: [{ names: ["a"], allowedName: [] }] },
      /namespaces\[0\]\.allowedName.* is not a field/,
    ],
    ["no namespace", { namespaces: [{ names: [] }] }, /namespaces\[0\]\.names.* names no namespace/],
    ["a missing list of names", { namespaces: [{}] }, /namespaces\[0\]\.names.* is required/],
    [
      "a text that is no namespace",
      { namespaces: [{ names: ["Team_a"] }] },
      /"Team_a" is not a namespace or a pattern/,
    ],
    [
      "a wrong range",
      { namespaces: [{ names: ["a"], allowedAddresses: ["10.0.0.1"] }] },
      /"10.0.0.1" is neither Created/,
    ],
    ["a wrong pattern", { namespaces: [{ names: ["a"], allowedNames: ["a b"] }] }, /"a b" is not a pattern/],
    ["a negative maximum", { maxCreatedAddresses: -1 }, /maxCreatedAddresses.*-1 is too small/],
    ["a text as a maximum", { maxCreatedAddresses: "3" }, /maxCreatedAddresses/],
    ["a list", [], /tenantLimits/],
  ];
  for (const [title, limits, message] of mistakes) {
    it(`are refused at synthesis with ${title}`, () => {
      expect(problems(limits)).to.match(message);
    });
  }

  it("are refused if they are longer than the API server accepts, while it has a policy with them", () => {
    const { namespaces } = longLimits(180);
    const says = /bytes as JSON: the API server accepts at most 100000: give namespaces with the same limits one entry/;
    expect(problems({ namespaces }))
      .to.match(/tenantLimits: has 1\d\d\d\d\d bytes/)
      .and.to.match(says);
    expect(problems({ namespaces }, { admissionPolicy: false })).to.equal("");
    expect(parseTenantLimits(JSON.stringify({ namespaces })).limits, "the operator").to.deep.equal({ namespaces });
    expect(problems(longLimits(130))).to.equal("");
  });

  it("are refused if they are longer than the kernel accepts, also by the operator", () => {
    const says =
      /bytes as JSON: Linux accepts for a flag at most 131055: give namespaces with the same limits one entry/;
    expect(problems(longLimits(256), { admissionPolicy: false })).to.match(says);
    expect(parseTenantLimits(JSON.stringify(longLimits(256))))
      .to.have.property("problems")
      .that.satisfies(([text]: string[]) => says.test(text ?? ""));
  });

  it("are refused by the operator with the same words", () => {
    const parsed = parseTenantLimits('{"namespaces":[{"names":["a"],"allowedNames":["a b"]}]}');
    expect(parsed)
      .to.have.property("problems")
      .that.satisfies((all: string[]) => all[0]?.startsWith("namespaces[0].allowedNames[0]"));
    expect(parseTenantLimits("{"))
      .to.have.property("problems")
      .that.satisfies((all: string[]) => all[0]?.startsWith("is not JSON"));
    expect(parseTenantLimits(" ").limits).to.deep.equal({});
  });

  it("of the first entry that names a namespace apply to it", () => {
    const index = (namespace: string) =>
      limitsOfNamespace({ ...LIMITS, namespaces: [...(LIMITS.namespaces ?? []), { names: ["*"] }] }, namespace)?.index;
    expect(["ingress", "team-a", "team-", "a-team-b"].map(index)).to.deep.equal([0, 1, 1, 2]);
    expect(limitsOfNamespace(LIMITS, "elsewhere")).to.equal(undefined);
  });
});
