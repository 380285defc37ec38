import { expect } from "chai";
import { describe, it } from "mocha";
import { appended, withoutAddress } from "../../../src/controllers/floating-ip-pool/object-calls.js";

const [A, B, C] = ["203.0.113.7", "203.0.113.8", "203.0.113.9"];

describe("a change of a pool's list of addresses", () => {
  const metadata = { name: "web", namespace: "default", uid: "u", resourceVersion: "1" };
  const pool = (...ips: readonly string[]) => ({ metadata, spec: { provider: "digitalocean", ips } });

  it("keeps what a person wrote, and adds an address once", () => {
    expect(JSON.stringify(appended(pool(A, "2001:DB8::1"), B))).to.include(`["${A}","2001:DB8::1","${B}"]`);
    expect(appended(pool(A, B), B)).to.equal(undefined);
  });

  it("drops what is listed twice, as an older schema stored it: the server would refuse the changed list", () => {
    expect(JSON.stringify(appended(pool(A, A, B), C))).to.include(`["${A}","${B}","${C}"]`);
    expect(JSON.stringify(withoutAddress(pool(A, B, A), B))).to.include(`["${A}"]`);
  });
});
