import { PASSING_REASONS, type Reason } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { outcomeOf } from "../../src/addresses/call-outcomes.js";
import { StatusError } from "../../src/kube/client.js";
import { NoDnsError } from "../../src/records/snapshot-parts.js";

describe("a failed call to the Kubernetes API", () => {
  const cases: readonly (readonly [what: string, error: unknown, reason: Reason, passing: boolean])[] = [
    ["a refusal", new StatusError({ code: 403, reason: "Forbidden", message: "no" }), "APIServerRefused", false],
    ["no answer", new Error("no answer within 10 s"), "APIServerUnavailable", true],
    [
      "an error of the server",
      new StatusError({ code: 500, reason: "", message: "etcd" }),
      "APIServerUnavailable",
      true,
    ],
    ["too many requests", new StatusError({ code: 429, reason: "", message: "slow" }), "APIServerUnavailable", true],
  ];
  for (const [what, error, reason, passing] of cases) {
    it(`is no fault of the spec: ${what}`, () => {
      const outcome = outcomeOf(error);
      expect(outcome.is === "refused" && outcome.failure.problem.reason).to.equal(reason);
      expect(PASSING_REASONS.includes(reason), "ends without a person").to.equal(passing);
    });
  }
});

describe("a call to a DNS provider that is not set up any more", () => {
  it("names the provider and its token, and no Kubernetes API", () => {
    const outcome = outcomeOf(new NoDnsError("cloudflare"));
    const problem = outcome.is === "refused" ? outcome.failure.problem : undefined;
    expect(problem?.reason).to.equal("UnknownProvider");
    expect(problem?.message).to.match(
      /^provider "cloudflare" is not set up: .*administrator put one .* CLOUDFLARE_TOKEN/,
    );
    expect(problem?.message).not.to.include("Kubernetes API");
  });
});
