import { expect } from "chai";
import { skip } from "flipop-testbed";
import { afterEach, describe, it } from "mocha";
import { cloudflareOpenApi } from "../support/cloudflare-openapi.js";
import { type CloudflareRig, startCloudflareRig } from "../support/cloudflare-rig.js";
import { NO_DESCRIPTION } from "../support/openapi.js";

/** What an operator, a person or another program may use of the simulator. */
const OPERATIONS = [
  "GET /user/tokens/verify",
  "GET /zones",
  "GET /zones/{zone_id}",
  "GET /zones/{zone_id}/dns_records",
  "GET /zones/{zone_id}/dns_records/export",
  "POST /zones/{zone_id}/dns_records",
  "GET /zones/{zone_id}/dns_records/{dns_record_id}",
  "PUT /zones/{zone_id}/dns_records/{dns_record_id}",
  "PATCH /zones/{zone_id}/dns_records/{dns_record_id}",
  "DELETE /zones/{zone_id}/dns_records/{dns_record_id}",
];

describe("simulated Cloudflare against the official description", () => {
  let rig: CloudflareRig | undefined;
  afterEach(() => rig?.close());

  it("answers every operation as described, complete and with nothing else", async function () {
    const description = cloudflareOpenApi();
    if (description === undefined) return skip(this, NO_DESCRIPTION);
    rig = await startCloudflareRig({ zones: [{ name: "example.com", plan: "pro" }] });
    const zone = `/zones/${rig.simulator.zone("example.com").id}`;
    description.hit.clear();
    await rig.call("GET", "/user/tokens/verify");
    await rig.call("GET", "/zones");
    await rig.call("GET", zone);
    const tagged = { type: "AAAA", name: "www", content: "2001:db8::1", comment: "ours", tags: ["a:b"] };
    const made = await rig.call("POST", `${zone}/dns_records`, tagged);
    await rig.call("POST", `${zone}/dns_records`, { type: "CNAME", name: "alias", content: "www.example.com" });
    const path = `${zone}/dns_records/${String(made.get("result", "id"))}`;
    await rig.call("PUT", path, { type: "A", name: "www", content: "192.0.2.1", proxied: true });
    await rig.call("PATCH", path, { ttl: 300 });
    await rig.call("GET", path);
    await rig.call("GET", `${zone}/dns_records`);
    await rig.call("GET", `${zone}/dns_records/export`);
    await rig.call("DELETE", path);
    expect([...description.hit].sort()).to.deep.equal([...OPERATIONS].sort());
  });

  it("notices an answer that is not as described", async function () {
    const description = cloudflareOpenApi();
    if (description === undefined) return skip(this, NO_DESCRIPTION);
    const body = { success: true, errors: [], messages: [], result: [{ id: 1 }] };
    const check = () => description.checkAnswer({ method: "GET", path: "/zones" }, { status: 200, headers: {}, body });
    expect(check).to.throw();
  });
});
