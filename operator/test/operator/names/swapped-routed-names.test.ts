import type { DnsRecordSet } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

describe("operator in process: RoutedIPs that may not adopt records and exchange their names", function () {
  this.timeout(60_000);

  for (const deletionPolicy of ["Delete", "Retain"] as const)
    it(`replace each other's records in place, under ${deletionPolicy}`, async () => {
      const made = await RoutedWorld.create(["n1", "n2"]);
      const { digitalocean, kubernetes } = made.world;
      const named = (recordName: string): DnsRecordSet => ({
        ...{ provider: "digitalocean", zone: "example.com", recordName, deletionPolicy },
      });
      const held = (name: string) => digitalocean.state.dns.records("example.com", name).map(({ data }) => data);
      try {
        made.addIssuer();
        for (const name of ["ra", "rb"]) made.addRouted(name, { dnsRecordSet: named(name) });
        made.serve({ node: "n1" }, { node: "n2" });
        made.world.start();
        for (const name of ["ra", "rb"]) await made.ready(name);
        const [a, b] = [held("ra"), held("rb")];
        const ids = () => ["ra", "rb"].flatMap((name) => digitalocean.state.dns.records("example.com", name));
        const before = ids().map(({ id }) => id);

        const rename = (name: string, to: string) =>
          kubernetes.change(made.refTo(name), (object) => ({
            ...object,
            spec: { ...(object["spec"] as object), dnsRecordSet: named(to) },
          }));
        rename("ra", "rb");
        rename("rb", "ra");
        await made.until("both have changed", () => `${held("ra")} ${held("rb")}` === `${b} ${a}`);
        for (const name of ["ra", "rb"]) await made.ready(name);
        expect(ids().map(({ id }) => id)).to.deep.equal(before);
      } finally {
        await made.close();
      }
    });
});
