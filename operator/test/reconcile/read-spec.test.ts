import { expect } from "chai";
import { describe, it } from "mocha";
import { readPool } from "../../src/controllers/floating-ip-pool/resource.js";
import { readResource } from "../../src/controllers/node-dns-record-set/resource.js";
import { specReader } from "../../src/reconcile/read-spec.js";
import { readClass, readIssuer, readRouted } from "../../src/routing/read-resources.js";

const metadata = { name: "web", namespace: "default", uid: "u1", resourceVersion: "1" };
/** Fields as newer definitions have them: one with a default, which the server adds to each resource, and one that was asked for. */
const NEWER = { futureDefault: false, future: { deep: 1 } };

describe("a spec with fields of a newer release", () => {
  it("of a pool is served without them, and names those that ask for something", () => {
    const match = { nodeLabel: "a=b", futureMatch: "x" };
    const spec = { provider: "digitalocean", ips: ["192.0.2.1"], match, ...NEWER };
    const { pool, problem, ignored } = readPool({ metadata, spec });
    expect(problem).to.equal(undefined);
    expect(pool.spec).to.deep.equal({ provider: "digitalocean", ips: ["192.0.2.1"], match: { nodeLabel: "a=b" } });
    expect(ignored?.map((text) => text.split(":")[0])).to.deep.equal(["spec.match.futureMatch", "spec.future"]);
  });

  it("of a RoutedIP is served without them", () => {
    const spec = { issuerRef: { name: "cloud" }, serviceRef: { serviceName: "web" }, ...NEWER };
    const { problem, ignored } = readRouted({ metadata, spec: spec as never });
    expect(problem).to.equal(undefined);
    expect(ignored).to.have.length(1);
  });

  it("of a record set is served without them", () => {
    const spec = { dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "www" }, ...NEWER };
    const { problem, ignored } = readResource({ metadata, spec });
    expect(problem).to.equal(undefined);
    expect(ignored).to.have.length(1);
  });

  it("of an issuer and of a class is served without them", () => {
    expect(readIssuer({ metadata, spec: { provider: "digitalocean", ...NEWER } } as never)?.problem).to.equal(
      undefined,
    );
    const spec = { issuerRef: { name: "cloud", namespace: "flipop" }, ...NEWER };
    expect(readClass({ metadata, spec } as never)?.problem).to.equal(undefined);
  });

  it("is not served where a field that it has is wrong", () => {
    const { problem } = readPool({ metadata, spec: { provider: "digitalocean", desiredIPs: "3", ...NEWER } });
    expect(problem?.message).to.match(/^spec\.desiredIPs: /);
    expect(problem?.message).not.to.include("future");
  });

  it("is read once for each version: the status around it changes, and many resources use one class", () => {
    let findings = 0;
    const read = specReader("ClusterRoutedIPClass", () => {
      findings += 1;
      return false;
    });
    const spec = { perNodeIPLimit: "two" };
    const first = read(spec);
    expect(first.problem).to.include({ reason: "Invalid" });
    expect(read(spec)).to.equal(first);
    expect(findings).to.equal(1);
    expect(read({ ...spec, perNodeIPLimit: 2 }).fields).to.deep.equal({ perNodeIPLimit: 2 });
  });
});
