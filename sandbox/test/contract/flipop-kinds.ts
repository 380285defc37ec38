import { ALL_KINDS, customResourceDefinitions } from "cdk8s-flipop/api";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import { becomes, causes, DEFINITIONS, namespace, ok, type TargetSource, uniqueName } from "./target.js";

const GROUP = "/apis/flipop.digitalocean.com/v1alpha1";

/** Our own kinds: that their rules work on both servers, in the same words. */
export function flipopKindsContract(target: TargetSource): void {
  describe("flipop's kinds", () => {
    let space = "";
    before(async () => {
      space = await namespace(target());
      for (const definition of customResourceDefinitions()) {
        const { status } = await target().admin.post(DEFINITIONS, definition);
        expect([201, 409]).to.include(status);
      }
      for (const { plural } of ALL_KINDS) await becomes(target(), `${GROUP}/${plural}`, 200);
    });
    const pool = (spec: object, { name = uniqueName("pool"), ...more }: { name?: string; status?: object } = {}) =>
      target().admin.post(`${GROUP}/namespaces/${space}/floatingippools`, {
        apiVersion: "flipop.digitalocean.com/v1alpha1",
        kind: "FloatingIPPool",
        metadata: { name },
        spec,
        ...more,
      });
    const valid = { provider: "digitalocean", region: "nyc1", match: { nodeLabel: "role=edge" }, ips: ["192.0.2.1"] };

    it("accept a pool and fill in its defaults", async () => {
      const { status, body } = await pool(valid);
      expect(status).to.equal(201);
      expect(body.spec).to.deep.include(valid);
      expect(Object.keys(body.spec ?? {}).length).to.be.above(Object.keys(valid).length);
    });
    it("give a new pool a status that nothing has observed, whatever status the request has", async () => {
      const { status, body } = await pool(valid, { status: { observedGeneration: 1 } });
      expect(status).to.equal(201);
      expect(body.status).to.deep.equal({ observedGeneration: 0 });
      expect(body.metadata?.generation).to.equal(1);
    });
    const refused: readonly (readonly [string, object])[] = [
      ["an address that is none", { ...valid, ips: ["somewhere"] }],
      ["addresses of two families", { ...valid, ips: ["192.0.2.1", "2001:db8::1"] }],
      ["no addresses at all", { ...valid, ips: [] }],
      ["a selector that does not parse", { ...valid, match: { nodeLabel: "role in (" } }],
      ["a selector with a long key, shown in part", { ...valid, match: { nodeLabel: `${"x".repeat(300)}=y` } }],
      ["another family than ipFamily", { ...valid, ipFamily: "IPv6" }],
    ];
    for (const [what, spec] of refused) {
      it(`refuse ${what}, in the words of the type model`, async () => {
        const answer = await pool(spec);
        expect(answer.status).to.equal(422);
        expect(causes(answer)).to.have.length(1);
        expect(answer.body.message).to.not.contain("evaluating rule");
      });
    }
    it("quote the value in the message of an address", async () => {
      expect(causes(await pool({ ...valid, ips: ["somewhere"] }))).to.deep.equal([
        'spec.ips[0]: Invalid value: "somewhere": "somewhere" is not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length',
      ]);
    });
    it("refuse a pool without a spec", async () => {
      const object = {
        apiVersion: "flipop.digitalocean.com/v1alpha1",
        kind: "FloatingIPPool",
        metadata: { name: "none" },
      };
      const answer = await target().admin.post(`${GROUP}/namespaces/${space}/floatingippools`, object);
      expect(causes(answer)).to.deep.equal([
        "<nil>: Invalid value: spec is missing: add it, kubectl explain shows its fields",
      ]);
    });
    it("refuse a typing mistake under fieldValidation=Strict", async () => {
      const object = {
        apiVersion: "flipop.digitalocean.com/v1alpha1",
        kind: "FloatingIPPool",
        metadata: { name: "typo" },
        spec: { ...valid, ip: [] },
      };
      const answer = await target().admin.post(`${GROUP}/namespaces/${space}/floatingippools`, object, {
        fieldValidation: "Strict",
      });
      expect(answer.body.message).to.match(/unknown field "spec.ip"$/);
    });
    it("keep the class of a RoutedIP for ever", async () => {
      const path = `${GROUP}/namespaces/${space}/routedips`;
      const object = {
        apiVersion: "flipop.digitalocean.com/v1alpha1",
        kind: "RoutedIP",
        metadata: { name: uniqueName("rip") },
        spec: { className: "one", serviceRef: { serviceName: "s" } },
      };
      const { body } = ok(await target().admin.post(path, object));
      const answer = await target().admin.patch(`${path}/${body.metadata.name}`, "merge", {
        spec: { className: "two" },
      });
      expect(answer.status).to.equal(422);
      expect(causes(answer)[0]).to.match(/^spec: Invalid value: /);
    });
    it("show a pool in a Table", async () => {
      const name = uniqueName("pool");
      ok(await pool(valid, { name }));
      const { body } = await target().admin.getTable(`${GROUP}/namespaces/${space}/floatingippools/${name}`);
      expect(body.columnDefinitions?.[0]?.name).to.equal("Name");
      expect(body.rows?.[0]?.cells[0]).to.equal(name);
    });
  });
}
