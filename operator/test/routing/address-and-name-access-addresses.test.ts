import type { AccessLimits, ClusterRoutedIPClassSpec, RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { partsOf } from "../../src/messages/message.js";
import {
  addressAccessOf,
  addressProblem,
  usableRetained,
  withRetained,
} from "../../src/routing/address-and-name-access.js";
import { resolveClass } from "../../src/routing/resolved-class.js";
import { meta } from "../claims/resources.js";

const A = "203.0.113.7";
const RETAINED = [{ ip: A, namespace: "default" }];

function problem(allowed: readonly AccessLimits[], ip = A, retained = RETAINED, status: RoutedIPStatus = {}) {
  const sources = allowed.map((limits, index) => ({ of: `source ${index}`, limits }));
  return addressProblem({ namespace: "default", status, ips: [ip] }, addressAccessOf(sources), retained);
}

describe("the addresses that a class and an issuer allow", () => {
  it("are ranges, those created for the namespace, or both; each of the two has to allow the address", () => {
    const rows: readonly (readonly [
      what: string,
      lists: readonly (readonly string[] | undefined)[],
      allowed: boolean,
    ])[] = [
      ["nothing is limited", [undefined], true],
      ["a range", [["203.0.113.0/29"]], true],
      ["a range with bits of the host", [["203.0.113.9/28"]], true],
      ["another range", [["203.0.113.8/29"]], false],
      ["a range of the other family", [["::/0"]], false],
      ["created", [["Created"]], true],
      ["no address", [[]], false],
      ["one of both", [["203.0.113.0/24"], ["198.51.100.0/24"]], false],
      ["both", [["203.0.113.0/24"], ["Created"]], true],
    ];
    for (const [what, lists, allowed] of rows) {
      const limits = lists.map((allowedAddresses) => (allowedAddresses === undefined ? {} : { allowedAddresses }));
      expect(problem(limits) === undefined, what).to.equal(allowed);
    }
    expect(problem([{ allowedAddresses: ["2001:db8::/32"] }], "2001:DB8::7"), "in any spelling").to.equal(undefined);
  });

  it("do not include what was created for another namespace, and the message shows what is allowed", () => {
    const limits = [{ allowedAddresses: ["Created", "198.51.100.0/24"] }];
    const refused = problem(limits, A, [{ ip: A, namespace: "other" }]);
    expect(refused?.reason).to.equal("AddressNotAllowed");
    expect(refused?.message)
      .to.contain(
        "source 0 allows only addresses of 198.51.100.0/24 and addresses that the operator created for namespace default",
      )
      .and.contain(`does not touch ${A}, which it created for namespace other; fix: to use the address, `)
      .and.contain(`add ${A}/32 to allowedAddresses; to do without it`);
    expect(problem(limits, A, [])?.message).not.to.contain("for namespace other");
  });

  it("name each source that refuses the address: to correct the first alone would not help", () => {
    const limits = [
      { allowedAddresses: ["198.51.100.0/24"] },
      { allowedAddresses: [`${A}/32`] },
      { allowedAddresses: [] },
    ];
    const [seen, fix] = partsOf(problem(limits)?.message ?? "");
    expect(seen).to.equal(
      `source 0 allows only addresses of 198.51.100.0/24, and source 2 allows no existing address, so the operator does not touch ${A}, which it created for namespace default`,
    );
    const ask = (source: string) => `ask the author of ${source} to add ${A}/32 to allowedAddresses`;
    expect(fix).to.satisfy((text: string) =>
      text.startsWith(`to use the address, ${ask("source 0")}, and ${ask("source 2")}; to do without it`),
    );
  });

  it("tell which retained addresses a RoutedIP of a namespace may name", () => {
    const usable = (namespace: string, ...lists: readonly (readonly string[])[]) => {
      const sources = lists.map((allowedAddresses, index) => ({ of: `source ${index}`, limits: { allowedAddresses } }));
      return usableRetained(RETAINED, namespace, addressAccessOf(sources));
    };
    expect(usable("default")).to.deep.equal(RETAINED);
    expect(usable("default", ["Created"])).to.deep.equal(RETAINED);
    expect(usable("default", ["Created"], ["198.51.100.0/24"])).to.deep.equal([]);
    expect(usable("other"), "of another namespace").to.deep.equal([]);
  });

  it("include what the operator gave to the RoutedIP before, but not what another resource had then", () => {
    const none = [{ allowedAddresses: [] }];
    const had = (status: RoutedIPStatus) => problem(none, A, [], { routedIP: A, ...status }) === undefined;
    expect(had({ created: true })).to.equal(true);
    expect(had({ state: "active", providerID: "x://1" })).to.equal(true);
    expect(had({ state: "unassigned" })).to.equal(false);
    expect(had({ providerID: "x://1", reason: "ClaimedByOther" })).to.equal(false);
    expect(had({ routedIP: "203.0.113.8", created: true })).to.equal(false);
  });

  it("are by default those created for the namespace under a class, and all of the account under an issuer", () => {
    const issuerRef = { name: "do", namespace: "flipop" };
    const access = (spec: object, cls: ClusterRoutedIPClassSpec, limits: AccessLimits = {}) =>
      resolveClass(
        { metadata: meta("a"), spec: { serviceRef: { serviceName: "web" }, ...spec } },
        {
          class: () => ({ metadata: meta("public"), spec: cls }),
          issuer: () => ({ metadata: meta("do"), spec: { provider: "digitalocean", ...limits } }),
        },
      ).resolvedClass?.addressAccess.map(({ entries }) => entries);
    const jobs = { updateRoutedIP: {}, updateFirewall: {} };
    expect(access({ className: "public" }, { issuerRef })).to.deep.equal([["Created"]]);
    expect(access({ className: "public" }, jobs)).to.deep.equal([["Created"]]);
    expect(access({ issuerRef: { name: "do" } }, { issuerRef })).to.deep.equal([]);
    expect(
      access({ className: "public" }, { issuerRef, allowedAddresses: [] }, { allowedAddresses: ["::/0"] }),
    ).to.deep.equal([[], ["::/0"]]);
  });

  it("are on record once, with the namespace that they were created for last", () => {
    expect(withRetained(RETAINED, { ip: A, namespace: "default" })).to.equal(undefined);
    expect(withRetained(RETAINED, { ip: A, namespace: "other" })).to.deep.equal([{ ip: A, namespace: "other" }]);
    const many = Array.from({ length: 500 }, (_, index) => ({ ip: `192.0.2.${index}`, namespace: "n" }));
    expect(withRetained(many, { ip: A, namespace: "default" })).to.have.length(500);
    const own = [...RETAINED, ...many.slice(1)];
    const next = withRetained(own, { ip: "192.0.2.0", namespace: "n" });
    expect(next?.slice(0, 2), "another namespace pushes out its own").to.deep.equal([RETAINED[0], many[2]]);
  });
});
