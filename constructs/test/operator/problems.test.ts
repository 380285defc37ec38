import { ApiObject, Chart, Testing } from "cdk8s";
import { expect } from "chai";
import { Credentials, FlipopOperator, OperatorFeature } from "../../src";
import { problemsOf } from "./synth";
import { CASES, CLOUDFLARE_TOKEN, DIGITALOCEAN_TOKEN } from "./wrong-props";

describe("invalid props of an operator", () => {
  for (const [title, props, message] of CASES) {
    it(`are refused: ${title}`, () => {
      expect(problemsOf(props)).to.include(`[test/operator] ${message}`);
    });
  }

  it("do not throw in the constructor", () => {
    for (const [, props] of CASES) new FlipopOperator(Testing.chart(), "operator", props);
  });

  it("are reported once if Jobs may run in the operator's own namespace", () => {
    const features = [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS];
    expect(problemsOf({ namespace: "edge", features, jobNamespaces: ["edge"] })).to.deep.equal([
      '[test/operator] jobNamespaces: "edge" is the operator\'s own namespace, which contains its credentials: run Jobs in another one',
    ]);
  });

  it("are all reported at once", () => {
    const props = { name: "A", replicas: -1, env: { CLOUDFLARE_TOKEN: "x" }, extraArgs: ["--colour"] };
    expect(problemsOf(props)).to.have.length(4);
  });

  it("never show a token", () => {
    const props = { env: { A: DIGITALOCEAN_TOKEN, CLOUDFLARE_TOKEN }, extraArgs: [CLOUDFLARE_TOKEN] };
    const text = problemsOf(props).join();
    expect(text).not.to.include(DIGITALOCEAN_TOKEN);
    expect(text).not.to.include(CLOUDFLARE_TOKEN);
  });

  it("include credentials of a Secret in another namespace", () => {
    const chart = new Chart(Testing.app(), "test");
    const metadata = { name: "do", namespace: "elsewhere" };
    const secret = new ApiObject(chart, "secret", { apiVersion: "v1", kind: "Secret", metadata });
    new FlipopOperator(chart, "operator", { digitalOcean: Credentials.fromSecret(secret) });
    const synth = (): unknown => Testing.synth(chart) as unknown;
    expect(synth).to.throw(
      '[test/operator] digitalOcean: Secret "do" is in namespace "elsewhere", but the Deployment can use only Secrets of its own namespace "flipop": put both into one namespace',
    );
  });
});
