import { JsonPatch, Lazy } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DnsRecord, FlipopOperator, FloatingIPPool, NodeDNSRecordSet, RoutedIPIssuer } from "../../src";
import { newChart, only, refusals } from "../support/charts";

const REPAIRED = { region: "nyc3", desiredIps: 3000 };

describe("a patch of a resource", () => {
  const pool = (...patches: JsonPatch[]): readonly string[] => {
    const chart = newChart({ namespace: "web" });
    new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"] }).apiObject.addJsonPatch(...patches);
    return refusals(chart);
  };

  it("is checked: the schema, with the prop of the field", () => {
    expect(pool(JsonPatch.add("/spec/desiredIPs", "2"))).to.deep.equal(['[test/pool] desiredIps: "2" is not a number']);
    expect(pool(JsonPatch.add("/spec/desiredIps", 2))).to.deep.equal([
      '[test/pool] desiredIps: is not a field: did you mean "desiredIPs"?',
    ]);
    expect(pool(JsonPatch.add("/spec/gracePeriod", 2))).to.deep.equal([
      '[test/pool] gracePeriod: is not a field: did you mean "gracePeriodSeconds"?',
    ]);
    expect(pool(JsonPatch.add("/spec/foo", 2))[0], "names of fields, not of props").to.include('"desiredIPs", "ips"');
    expect(pool(JsonPatch.remove("/spec/ips"))[0]).to.include("the pool has no addresses");
  });

  it("is checked: what the library refuses beyond the schema", () => {
    expect(pool(JsonPatch.add("/spec/ips/-", "8.8.8.8"))).to.deep.equal([
      '[test/pool] ips[1]: "8.8.8.8" is listed twice: remove one',
    ]);
    expect(pool(JsonPatch.add("/spec/desiredIPs", 3))[0]).to.include("region: is missing, but 2 of 3 addresses");
    expect(pool(JsonPatch.replace("/metadata/name", "Web"))[0]).to.match(
      /^\[test\/pool\] metadata\.name: "Web" is not/,
    );
  });

  it("is checked for tokens, which the error does not show", () => {
    const token = `dop_v1_${"0a".repeat(32)}`;
    expect(pool(JsonPatch.add("/spec/region", token))).to.deep.equal([
      "[test/pool] region: the value looks like an API token (not shown here): put it into a Secret, and refer to that Secret by its name",
    ]);
    const chart = newChart();
    const operator = new FlipopOperator(chart, "operator");
    operator.deployment.addJsonPatch(JsonPatch.add("/metadata/annotations", { note: token }));
    expect(refusals(chart)).to.deep.equal([
      "[test/operator] Deployment.metadata.annotations.note: the value looks like an API token (not shown here): put it into a Secret and use digitalOcean or cloudflare with Credentials.fromSecretName(...)",
    ]);
  });

  it("may repair a spec", () => {
    const chart = newChart();
    const { apiObject } = new FloatingIPPool(chart, "pool", REPAIRED);
    apiObject.addJsonPatch(JsonPatch.replace("/spec/desiredIPs", 2));
    new RoutedIPIssuer(chart, "issuer", { region: "nyc 3" }).apiObject.addJsonPatch(
      JsonPatch.replace("/spec/region", "nyc3"),
    );
    expect(only(chart, "FloatingIPPool").spec["desiredIPs"]).to.equal(2);
  });

  it("that cannot be applied is a problem of the construct", () => {
    const [line, ...others] = pool(JsonPatch.replace("/spec/dnsRecordSet/ttl", 30));
    expect(line).to.match(/^\[test\/pool\] cannot be written: Failed serializing construct/);
    expect(others).to.deep.equal([]);
  });

  it("counts in checks across the app", () => {
    const chart = newChart({ namespace: "web" });
    new FloatingIPPool(chart, "a", { ips: ["8.8.8.8"] }).apiObject.addJsonPatch(
      JsonPatch.add("/spec/dnsRecordSet", { provider: "digitalocean", recordName: "www", zone: "example.com" }),
    );
    new NodeDNSRecordSet(chart, "b", { dnsRecord: DnsRecord.digitalOcean("www.example.com", "example.com") });
    new FloatingIPPool(chart, "c", { ips: ["8.8.4.4"] }).apiObject.addJsonPatch(
      JsonPatch.replace("/spec/ips", ["8.8.8.8"]),
    );
    expect(refusals(chart)).to.deep.equal([
      '[test/b] dnsRecord: A record set "www.example.com" is also that of test/a: give each its own name',
      '[test/c] ips[0]: "8.8.8.8" is also listed by test/a: remove it from one of the two',
    ]);
  });

  it("may contain Lazy values of the object's metadata", () => {
    const chart = newChart();
    const pool = new FloatingIPPool(chart, "pool", { ips: ["8.8.8.8"] });
    pool.metadata.addAnnotation("example.com/owner", Lazy.any({ produce: () => "edge" }) as string);
    expect(only(chart, "FloatingIPPool").metadata["annotations"]).to.deep.equal({ "example.com/owner": "edge" });
  });
});
