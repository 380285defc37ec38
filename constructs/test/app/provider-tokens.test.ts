import { ApiObject, type Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { Credentials, DnsRecord, type FlipopOperatorProps, NodeDNSRecordSet } from "../../src";
import { appWith } from "../support/app-with-operator";
import { refusals } from "../support/charts";

describe("the token of a provider", () => {
  const secret = (chart: Chart, entries: object): ApiObject =>
    new ApiObject(chart, "secret", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "flipop", namespace: "flipop" },
      stringData: entries,
    });
  const records = (chart: Chart): unknown =>
    new NodeDNSRecordSet(chart, "nodes", { dnsRecord: DnsRecord.cloudflare("www", "example.com") });

  it("must be in the operator's Secret, if the app defines that", () => {
    const { web, flipop } = appWith({});
    secret(flipop, { DIGITALOCEAN_ACCESS_TOKEN: "x" });
    records(web);
    expect(refusals(web)).to.deep.equal([
      '[web/nodes] dnsRecord: operator flipop/operator has no token for Cloudflare: Secret "flipop" of the app has no entry CLOUDFLARE_TOKEN: add it, or set prop cloudflare of the operator',
    ]);
  });

  it("may come from a prop or a file", () => {
    const variants: readonly FlipopOperatorProps[] = [
      { cloudflare: Credentials.fromSecretName("cf") },
      { env: { CLOUDFLARE_TOKEN_FILE: "/vault/token" } },
    ];
    for (const props of variants) {
      const { web, flipop } = appWith(props);
      secret(flipop, { DIGITALOCEAN_ACCESS_TOKEN: "x" });
      records(web);
      expect(refusals(web)).to.deep.equal([]);
    }
  });
});
