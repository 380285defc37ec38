import { expect } from "chai";
import { describe, it } from "mocha";
import { Credentials, type FlipopOperatorProps, OperatorFeature } from "../../src";
import { warnings } from "../support/charts";
import { makeOperator, problemsOf } from "./synth";

describe("valid props of an operator", () => {
  it("may be for one pod, within limits, or with one source of the token", () => {
    const env = { DIGITALOCEAN_ACCESS_TOKEN_FILE: "/token" };
    const alone = { replicas: 1, extraArgs: ["--leader-elect=false"], cloudflare: Credentials.fromSecretName("cf") };
    const quantities = { cpuRequest: "500m", cpuLimit: "0.5", memoryRequest: "1Gi", memoryLimit: "1024Mi" };
    expect(problemsOf({ ...alone, ...quantities, env })).to.deep.equal([]);
    const flagWins = { extraArgs: ["--leader-elect"], env: { FLIPOP_LEADER_ELECT: "false" } };
    expect(problemsOf(flagWins)).to.deep.equal([]);
  });

  it("may leave out leader election in a dry run, in which no pod acts", () => {
    expect(problemsOf({ dryRun: true, extraArgs: ["--leader-elect=false"] })).to.deep.equal([]);
    expect(problemsOf({ dryRun: true, env: { FLIPOP_LEADER_ELECT: "false" } })).to.deep.equal([]);
  });

  it("may have times of leader election that fit each other, and URLs", () => {
    const variables = { FLIPOP_LEADER_ELECT_LEASE_DURATION: "1", FLIPOP_DRIFT_INTERVAL: "1" };
    const flagsWin = { extraArgs: ["--leader-elect-lease-duration=20", "--drift-interval=30"], env: variables };
    expect(problemsOf(flagsWin)).to.deep.equal([]);
    const fast = { fastFailover: true, env: { FLIPOP_LEADER_ELECT_LEASE_DURATION: "1" } };
    expect(problemsOf(fast)).to.deep.equal([]);
    const env = { HTTPS_PROXY: "proxy.example:3128", CLOUDFLARE_API_URL: "", NO_PROXY: "a,b" };
    expect(problemsOf({ env })).to.deep.equal([]);
  });

  it("may have URLs that Helm or Kubernetes completes", () => {
    const env = { HTTPS_PROXY: "{{ .Values.proxy }}", DIGITALOCEAN_API_URL: "http://$(HOST):$(PORT)" };
    expect(problemsOf({ env, networkPolicy: true })).to.deep.equal([]);
    expect(problemsOf({ env: { FLIPOP_DRIFT_INTERVAL: "{{ .Values.drift }}" } })).to.have.length(1);
  });

  it("may have such a URL beside a NetworkPolicy, and get a warning if its port stays closed", () => {
    const env = {
      HTTPS_PROXY: "{{ .Values.proxy }}",
      http_proxy: "http://{{ .Values.host }}:3128",
      NO_PROXY: "$(ALL)",
    };
    const warningsWith = (props: FlipopOperatorProps): readonly string[] => {
      const { chart } = makeOperator({ env, networkPolicy: true, ...props });
      return warnings(chart);
    };
    expect(warningsWith({})).to.deep.equal([
      "[test/operator] env.HTTPS_PROXY: is an expression, so the NetworkPolicy does not open its port, unless that is 443 or 6443: list the port in networkPolicyPorts",
    ]);
    const closed: readonly FlipopOperatorProps[] = [
      { networkPolicyPorts: [3128] },
      { networkPolicy: false },
      { features: [OperatorFeature.POOLS, OperatorFeature.HEALTH_CHECKS] },
    ];
    for (const props of closed) expect(warningsWith(props)).to.deep.equal([]);
  });

  it("may have ordinary values that resemble tokens", () => {
    const env = { COMMIT: "0123456789abcdef0123456789abcdef01234567", PATH_LIKE: "/usr/local/bin:/usr/bin" };
    expect(problemsOf({ env, extraArgs: ["--kubeconfig=/etc/flipop/kubeconfig"] })).to.deep.equal([]);
  });
});
