import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { accountFindings } from "../../../src/commands/doctor/accounts.js";
import { DoctorWorld } from "./doctor-world.js";

describe("flipop doctor, about the account", () => {
  let world: DoctorWorld;
  before(async () => {
    world = await DoctorWorld.start();
  });
  after(() => world.close());

  it("says why the limit of the account is not known, what is usual, and what to do about that answer", async () => {
    const env = { DIGITALOCEAN_ACCESS_TOKEN: world.cloud.token, DIGITALOCEAN_API_URL: world.cloud.url };
    const quotaAt = async (status: number, path: string) => {
      world.cloud.faults.inject({ kind: "status", status }, { on: `GET ${path}`, times: 2 });
      const { seen, remedy } = (await world.doctor([], env)).of("quota of DigitalOcean")[0] ?? {};
      return `${seen}: ${remedy}`;
    };
    const usual = "; the limit is 3 addresses by default";
    for (const status of [429, 503]) {
      expect(await quotaAt(status, "/v2/account")).to.equal(
        `the provider answers ${status} to /v2/account${usual}: try again later`,
      );
    }
    expect(await quotaAt(403, "/v2/account")).to.equal(
      `the provider answers 403 to /v2/account${usual}: give the token the scope account:read`,
    );
    expect(await quotaAt(403, "/v2/reserved_ips")).to.equal(
      `the provider answers 403 to /v2/reserved_ips?per_page=1${usual}: give the token the scope reserved_ip:read`,
    );
  });

  it("checks the token of the environment, its scopes, and how full the account is", async () => {
    const { token, url } = world.cloud;
    expect((await world.doctor([])).of("token of DigitalOcean")[0]).to.include({ result: "unknown" });
    const env = { DIGITALOCEAN_ACCESS_TOKEN: token, DIGITALOCEAN_API_URL: url };
    const { of } = await world.doctor([], env);
    expect(of("token of DigitalOcean")[0]?.seen).to.match(/^accepted, has reserved_ip:read, .*; not checked: /);
    expect(of("quota of DigitalOcean")[0]).to.include({ result: "warning", seen: "1 of 1 addresses are used" });
    const [wrong] = (await world.doctor([], { ...env, DIGITALOCEAN_ACCESS_TOKEN: "wrong" })).of(
      "token of DigitalOcean",
    );
    expect(wrong).to.include({ result: "problem", seen: "the provider does not accept it (401)" });
    world.cloud.faults.inject({ kind: "status", status: 403 }, { on: "GET /v2/firewalls" });
    const [narrow] = (await world.doctor([], env)).of("token of DigitalOcean");
    expect(narrow).to.include({ result: "problem", seen: "it lacks firewall:read" });
    const dead = { ...env, DIGITALOCEAN_API_URL: "http://127.0.0.1:1" };
    expect((await world.doctor([], dead)).of("token of DigitalOcean")[0]?.seen).to.match(
      /^the provider does not answer: /,
    );
  });

  it("checks the rest where the file of a token can't be read, or the URL of an API is none", async () => {
    const lost = await world.doctor([], { DIGITALOCEAN_ACCESS_TOKEN_FILE: "/nowhere/token" });
    const [file] = lost.of("token of DigitalOcean");
    expect(file).to.include({ result: "problem", remedy: "correct DIGITALOCEAN_ACCESS_TOKEN_FILE" });
    expect(file?.seen).to.match(/ENOENT.*\/nowhere\/token/);
    expect(lost.of("rights")).to.have.length(1);
    const wrong = await world.doctor([], { DIGITALOCEAN_ACCESS_TOKEN: "t", DIGITALOCEAN_API_URL: "none" });
    expect(wrong.of("token of DigitalOcean")[0]?.result).to.equal("problem");
    expect(wrong.of("rights")).to.have.length(1);
  });

  it("waits for no provider after a person has interrupted it", async () => {
    const { token, url } = world.cloud;
    const call = world.cloud.faults.inject({ kind: "timeout" }, { on: "GET /v2/firewalls" });
    const env = { DIGITALOCEAN_ACCESS_TOKEN: token, DIGITALOCEAN_API_URL: url };
    const stop = new AbortController();
    const ended = accountFindings({ env, stop: stop.signal }).catch((error: unknown) => error);
    while (call.fired === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error("SIGINT"));
    expect(await ended).to.have.property("message", "SIGINT");
  });
});
