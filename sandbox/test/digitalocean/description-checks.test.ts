import { expect } from "chai";
import { skip } from "flipop-testbed";
import { describe, it } from "mocha";
import { digitalOceanOpenApi } from "../support/digitalocean-openapi.js";
import type { ObservedAnswer } from "../support/openapi.js";
import { NO_DESCRIPTION } from "../support/openapi.js";

const HEADERS = {
  ...{ "content-type": "application/json", "x-request-id": "515850a0-a812-40bf-aa3c-d0d21d287e40" },
  ...{ "ratelimit-limit": "5000", "ratelimit-remaining": "1", "ratelimit-reset": "1" },
};
const ACCOUNT = {
  ...{ droplet_limit: 1, floating_ip_limit: 1, email: "a@example.com", name: "a", uuid: "u", email_verified: true },
  ...{ status: "active", status_message: "", team: { uuid: "u", name: "a" } },
};

/** The checks must be able to fail, or they prove nothing. */
describe("checks against the official description", () => {
  const openApi = digitalOceanOpenApi();

  before(function () {
    if (openApi === undefined) skip(this, NO_DESCRIPTION);
  });

  const answer =
    (account: object, more: Partial<ObservedAnswer> = {}) =>
    () =>
      openApi?.checkAnswer(
        { method: "GET", path: "/v2/account" },
        { status: 200, body: { account }, headers: HEADERS, ...more },
      );
  const request = (method: string, path: string, body?: unknown) => () => openApi?.checkRequest({ method, path, body });

  it("let a right answer and right requests pass", () => {
    answer(ACCOUNT)();
    request("GET", "/v2/reserved_ips?per_page=200&page=2")();
    request("POST", "/v2/reserved_ips", { droplet_id: 1 })();
    request("POST", "/v2/reserved_ips/192.0.2.1/actions", { type: "assign", droplet_id: 1 })();
    request("DELETE", "/v2/firewalls/bb4b2611-3d72-467b-8602-280330ecd65c/droplets", { droplet_ids: [1] })();
  });

  it("refuse an answer with a field missing, unknown or of a wrong type", () => {
    const { name: _, ...incomplete } = ACCOUNT;
    expect(answer(incomplete)).to.throw("must have required property 'name'");
    expect(answer({ ...ACCOUNT, more: 1 })).to.throw("must NOT have additional properties");
    expect(answer({ ...ACCOUNT, email_verified: "yes" })).to.throw("must be boolean");
    expect(answer({ ...ACCOUNT, team: { uuid: "u" } })).to.throw("/account/team must have required property 'name'");
  });

  it("refuse a droplet in an address that is not complete", () => {
    const region = { name: "a", slug: "nyc3", features: [], available: true, sizes: [] };
    const reserved_ip = { ip: "192.0.2.1", region, locked: false, project_id: HEADERS["x-request-id"] };
    const check = (droplet: unknown) => () =>
      openApi?.checkAnswer(
        { method: "GET", path: "/v2/reserved_ips/192.0.2.1" },
        { status: 200, headers: HEADERS, body: { reserved_ip: { ...reserved_ip, droplet } } },
      );
    check(null)();
    expect(check({ id: 1 })).to.throw("/reserved_ip/droplet");
    expect(check({})).to.throw("/reserved_ip/droplet");
  });

  it("refuse a status that is neither described nor reviewed, and a body where there must be none", () => {
    expect(answer(ACCOUNT, { status: 418 })).to.throw("neither described nor reviewed");
    expect(answer(ACCOUNT, { status: 422 })).to.throw("neither described nor reviewed");
    const deleted = { status: 204, body: {}, headers: HEADERS };
    const gone = () => openApi?.checkAnswer({ method: "DELETE", path: "/v2/tags/a" }, deleted);
    expect(gone).to.throw("must be empty");
  });

  it("refuse an answer without the headers or that is not JSON", () => {
    const { "ratelimit-reset": _, ...fewer } = HEADERS;
    expect(answer(ACCOUNT, { headers: fewer })).to.throw("lacks the headers ratelimit-reset");
    expect(answer(ACCOUNT, { headers: { ...HEADERS, "content-type": "text/html" } })).to.throw("is not JSON");
  });

  it("refuse a request with an unknown path, parameter or field, a missing body or a wrong value", () => {
    expect(request("GET", "/v2/reserved_ip")).to.throw("is not described");
    expect(request("GET", "/v2/reserved_ips?region=nyc3")).to.throw("no query parameter region");
    expect(request("GET", "/v2/reserved_ips?per_page=500")).to.throw("per_page=500");
    expect(request("GET", "/v2/droplets/abc")).to.throw("droplet_id=abc");
    expect(request("POST", "/v2/reserved_ips")).to.throw("needs a body");
    expect(request("POST", "/v2/reserved_ips", { region: "nyc3", tags: ["a"] })).to.throw("additional properties");
    expect(request("POST", "/v2/reserved_ips/192.0.2.1/actions", { type: "move" })).to.throw("allowed values");
    expect(request("GET", "/v2/account", {})).to.throw("takes no body");
  });
});
