import { expect } from "chai";
import { describe, it } from "mocha";
import { type KubeClient, type KubeRequest, StatusError } from "../../src/kube/client.js";
import { ExternalDns } from "../../src/providers/external-dns/dns.js";
import { direct } from "../../src/providers/layers/deadlines-and-retries.js";
import type { RecordStep } from "../../src/providers/types.js";
import { errorOf } from "../support/http-rig.js";

const CONTEXT = {
  requester: { kind: "FloatingIPPool", namespace: "default", name: "web" },
  why: "test",
  priority: "records",
} as const;
const NAME = { zone: "example.org", fqdn: "www.example.org" };
const IP = "203.0.113.7";

/** An object that is there when it is read, and gone when it is written. */
function vanishing(details: (name: string) => object) {
  const request = async ({ method, path }: KubeRequest) => {
    const name = path.split("/").at(-1) ?? "";
    const endpoints = [{ dnsName: NAME.fqdn, recordType: "A", recordTTL: 60, targets: [IP] }];
    if (method === "GET") return { metadata: { name, uid: "u", resourceVersion: "1" }, spec: { endpoints } };
    throw new StatusError({ code: 404, reason: "NotFound", message: "not found", details: details(name) });
  };
  return new ExternalDns({ client: { request } as unknown as KubeClient, namespace: "flipop", run: direct });
}

describe("the DNSEndpoint of a record set", () => {
  const next = "203.0.113.8";
  const changes: Readonly<Record<string, readonly RecordStep[]>> = {
    "a change": [{ do: "update", id: `A ${IP}`, type: "A", from: IP, to: next, ttl: 60 }],
    "a removal": [{ do: "delete", id: `A ${IP}`, type: "A", from: IP }],
  };
  for (const [what, steps] of Object.entries(changes)) {
    const after = what === "a change" ? [next] : [];
    it(`has changed if somebody deletes it before ${what}: the kind is not missing`, async () => {
      const errorWith = async (details: (name: string) => object) =>
        await errorOf(vanishing(details).apply(CONTEXT, { ...NAME, steps, before: [IP], after }));
      expect(await errorWith((name) => ({ name, kind: "dnsendpoints" }))).to.include({ kind: "Conflict" });
      expect(await errorWith(() => ({}))).to.include({ kind: "NotFound" });
    });
  }
});
