import type { AccessLimits } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { specMessages } from "../../src/messages/spec.js";
import { adoptAccessOf, nameAccessOf, nameProblem } from "../../src/routing/address-and-name-access.js";

const TOKEN = { provider: "cloudflare", namespace: "flipop" };
const ZONE_ID = "023e105f4ecef8ad9ca31a8372d0c353";

function problem(fqdn: string, limits: readonly AccessLimits[], { ownToken = false, zone = "example.com" } = {}) {
  const sources = limits.map((each, index) => ({ of: `source ${index}`, limits: each }));
  const asked = { zone, normal: { zone: "example.com", fqdn }, namespace: "team" };
  return nameProblem(asked, nameAccessOf(sources), ownToken ? { ...TOKEN, namespace: "team" } : TOKEN);
}

function reason(...asked: Parameters<typeof problem>) {
  return problem(...asked)?.reason;
}

describe("the DNS names that a class and an issuer allow", () => {
  it("are none by default, unless the token is one of the namespace", () => {
    expect(reason("www.example.com", [{}, {}])).to.equal("NameNotAllowed");
    expect(reason("www.example.com", [{}, {}], { ownToken: true })).to.equal(undefined);
    const limited = [{ allowedNames: ["api.example.com"] }];
    expect(reason("www.example.com", limited, { ownToken: true }), "limits hold for it, too").to.equal(
      "NameNotAllowed",
    );
  });

  it("match a pattern, in which a star stands for a part between dots", () => {
    const rows: readonly (readonly [pattern: string, name: string, allowed: boolean])[] = [
      ["*.{namespace}.example.com", "www.team.example.com", true],
      ["*.{namespace}.example.com", "www.other.example.com", false],
      ["*.{namespace}.example.com", "a.b.team.example.com", false],
      ["*.{namespace}.example.com", "team.example.com", false],
      ["{namespace}-*.example.com", "team-1.example.com", true],
      ["www.example.com", "wwwxexample.com", false],
      ["www.example.com", "www.example.com.evil.com", false],
      ["*.example.com", "*.example.com", true],
    ];
    for (const [pattern, name, allowed] of rows) {
      expect(reason(name, [{ allowedNames: [pattern] }]) === undefined, `${pattern} ${name}`).to.equal(allowed);
    }
  });

  it("are in an allowed zone, by its domain or its id, and allowed by both", () => {
    expect(reason("www.example.com", [{ allowedZones: ["Example.com."] }])).to.equal(undefined);
    expect(reason("www.example.com", [{ allowedZones: [ZONE_ID] }], { zone: ZONE_ID })).to.equal(undefined);
    expect(reason("www.example.com", [{ allowedZones: ["example.org"] }])).to.equal("NameNotAllowed");
    expect(reason("www.example.com", [{ allowedZones: [] }])).to.equal("NameNotAllowed");
    const both = { allowedZones: ["example.com"], allowedNames: ["api.example.com"] };
    expect(reason("www.example.com", [both])).to.equal("NameNotAllowed");
    expect(reason("www.example.com", [{ allowedZones: ["example.com"] }, both])).to.equal("NameNotAllowed");
    expect(reason("api.example.com", [{ allowedZones: ["example.com"] }, both])).to.equal(undefined);
  });

  it("are none while a list is wrong as it is stored: what is left of the lists may allow more than was meant", () => {
    const mistakes = [{ path: "spec.allowedNames[0]", message: "must be a DNS name or a pattern" }];
    const asked = { zone: "example.com", normal: { zone: "example.com", fqdn: "www.example.com" }, namespace: "team" };
    const wrong = {
      of: "ClusterRoutedIPClass public",
      limits: { allowedZones: ["example.com"] },
      problem: specMessages.invalid({ mistakes }),
    };
    const right = { of: "RoutedIPIssuer flipop/do", namespace: "flipop", limits: { allowedNames: ["*.example.com"] } };
    const judged = (sources: Parameters<typeof nameAccessOf>[0], token = TOKEN) =>
      nameProblem(asked, nameAccessOf(sources), token)?.id;
    expect(judged([wrong]), "another list of the same author is there").to.equal("spec.ofNameLists");
    expect(judged([wrong, right]), "another author allows the name").to.equal("spec.ofNameLists");
    expect(judged([wrong], { ...TOKEN, namespace: "team" }), "a token of its own").to.equal("spec.ofNameLists");
    expect(judged([{ ...right, namespace: "other" }])).to.equal("access.tokenOfOthers");
  });

  it("are no issuer's to allow where the token is one of another namespace, nor are its records to replace", () => {
    const limits: AccessLimits = { allowedNames: ["www.example.com"], adoptRecords: true };
    const of = (namespace: string) => ({ of: `RoutedIPIssuer ${namespace}/do`, namespace, limits });
    const cls = { of: "ClusterRoutedIPClass public", limits: { allowedNames: ["*.example.com"] } };
    const asked = { zone: "example.com", normal: { zone: "example.com", fqdn: "www.example.com" }, namespace: "team" };
    const judged = (...sources: Parameters<typeof nameAccessOf>[0]) => {
      const access = nameAccessOf(sources);
      return [nameProblem(asked, access, TOKEN)?.id, adoptAccessOf(access, TOKEN).adopts];
    };
    expect(judged(of("team"))).to.deep.equal(["access.tokenOfOthers", false]);
    expect(judged(of("flipop")), "the token is there").to.deep.equal([undefined, true]);
    expect(judged(cls, of("team")), "by the class").to.deep.equal([undefined, false]);
    const strict = { ...cls, limits: { allowedNames: ["api.example.com"] } };
    expect(judged(strict, of("team")), "not by the class").to.deep.equal(["access.nameNotAllowed", false]);
    const silent = { ...cls, limits: {} };
    expect(judged(silent, of("team")), "the class says nothing").to.deep.equal(["access.noNameAllowed", false]);
  });

  it("name only the list that refuses them, and what it lacks", () => {
    const message = (limits: AccessLimits) => problem("www.example.com", [limits])?.message;
    const zones =
      "source 0 does not allow the DNS name www.example.com (allowedZones is example.org), so no record is written";
    expect(message({ allowedZones: ["example.org"] })).to.equal(
      `${zones}; fix: use another name, or ask the author of source 0 to add example.com to allowedZones`,
    );
    expect(message({ allowedZones: ["example.com"], allowedNames: [] }))
      .to.include("(allowedNames is empty)")
      .and.include("to add www.example.com to allowedNames");
    expect(message({ allowedZones: ["example.org"], allowedNames: ["api.example.com"] })).to.include(
      "(allowedZones is example.org; allowedNames is api.example.com)",
    );
  });

  it("name each source that refuses them: to correct the first alone would not help", () => {
    const message = problem("www.example.com", [{ allowedZones: ["example.org"] }, { allowedNames: [] }])?.message;
    const refused = (source: string) => `${source} does not allow the DNS name www.example.com`;
    expect(message).to.equal(
      `${refused("source 0")} (allowedZones is example.org), and ${refused("source 1")} (allowedNames is empty), so no record is written; fix: use another name, or ask the author of source 0 to add example.com to allowedZones, and ask the author of source 1 to add www.example.com to allowedNames`,
    );
  });

  it("name an issuer that refuses them beside a class that says nothing", () => {
    const name = "www.example.com";
    const asked = { zone: "example.com", normal: { zone: "example.com", fqdn: name }, namespace: "team" };
    const issuer = { of: "RoutedIPIssuer team/do", namespace: "team", limits: { allowedNames: ["api.example.com"] } };
    const access = nameAccessOf([{ of: "ClusterRoutedIPClass public", limits: {} }, issuer]);
    expect(nameProblem(asked, access, TOKEN)?.message).to.equal(
      `ClusterRoutedIPClass public has neither allowedNames nor allowedZones, and the token for DNS is not one of this namespace, and RoutedIPIssuer team/do does not allow the DNS name ${name} (allowedNames is api.example.com), so no record is written for ${name}; fix: ask the author of ClusterRoutedIPClass public to add the name to allowedNames, and ask the author of RoutedIPIssuer team/do to add ${name} to allowedNames`,
    );
  });

  it("tell whoever reads a pattern what its star stands for", () => {
    expect(problem("a.b.example.com", [{ allowedNames: ["*.example.com"] }])?.message).to.include(
      "(allowedNames is *.example.com, where * stands for text without a dot)",
    );
    expect(problem("a.b.example.com", [{ allowedZones: ["*.example.com"] }])?.message).to.include(
      "(allowedZones is *.example.com), so",
    );
  });

  it("adopt records only if one of the two says so and none forbids it", () => {
    const adopts = (...all: readonly (boolean | undefined)[]) =>
      adoptAccessOf(
        nameAccessOf(
          all.map((adoptRecords) => ({ of: "", limits: adoptRecords === undefined ? {} : { adoptRecords } })),
        ),
        TOKEN,
      ).adopts;
    expect([
      adopts(),
      adopts(undefined, undefined),
      adopts(true, undefined),
      adopts(true, true),
      adopts(true, false),
    ]).to.deep.equal([false, false, true, true, false]);
  });

  it("name who has to let the operator adopt records: whoever forbids it, else the class before the issuer", () => {
    const adopter = (ofClass: AccessLimits, ofIssuer: AccessLimits) =>
      adoptAccessOf(
        nameAccessOf([
          { of: "class", limits: ofClass },
          { of: "issuer", namespace: "team", limits: ofIssuer },
        ]),
        TOKEN,
      ).adopter;
    expect(adopter({}, {})).to.equal("class");
    expect(adopter({ adoptRecords: true }, { adoptRecords: false })).to.equal("issuer");
    expect(adopter({ adoptRecords: false }, { adoptRecords: false }), "both").to.equal(
      "class and the author of issuer",
    );
  });
});
