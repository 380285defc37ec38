import { expect } from "chai";
import fc from "fast-check";
import { afterEach, describe, it } from "mocha";
import { isProviderError } from "../../../src/providers/errors.js";
import { answer, errorOf, HttpRig } from "../../support/http-rig.js";
import { ASKER } from "../conformance/benches.js";
import { AnswerRigs, get, list, PAGE, RESERVED, setAt } from "./answer-rigs.js";

describe("answers of DigitalOcean", () => {
  const rigs = new AnswerRigs();
  afterEach(() => rigs.close());
  const serve = rigs.serve.bind(rigs);

  it("come from below the path of the base URL, with the token and our user agent", async () => {
    const { set, rig } = await serve((_request, response) => answer(response, 200, PAGE), "/gateway/do/");
    await list(set);

    expect(rig.seen[0]?.url).to.equal("/gateway/do/v2/reserved_ips?page=1&per_page=200");
    expect(rig.seen[0]?.headers).to.include({ authorization: "Bearer dop_v1_0123456789", "user-agent": "flipop-test" });
  });

  it("come over connections that are kept", async () => {
    const { set, rig } = await serve((_request, response) => answer(response, 200, PAGE));
    for (let call = 0; call < 10; call++) await list(set);

    expect(rig.sockets.size).to.be.at.most(2);
  });

  const malformed: readonly (readonly [string, unknown])[] = [
    ["no list", {}],
    ["no total", { ...PAGE, meta: {} }],
    ["a total of another type", { ...PAGE, meta: { total: "1" } }],
    ["an address of another type", { ...PAGE, reserved_ips: [{ ...RESERVED, ip: 7 }] }],
    ["an address that is none", { ...PAGE, reserved_ips: [{ ...RESERVED, ip: "203.0.113.999" }] }],
    ["an address of the other family", { ...PAGE, reserved_ips: [{ ...RESERVED, ip: "2001:db8::1" }] }],
    ["no region", { ...PAGE, reserved_ips: [{ ...RESERVED, region: null }] }],
    ["a droplet without id", { ...PAGE, reserved_ips: [{ ...RESERVED, droplet: {} }] }],
    ["a droplet id of another type", { ...PAGE, reserved_ips: [{ ...RESERVED, droplet: { id: "12" } }] }],
    ["no lock", { ...PAGE, reserved_ips: [{ ...RESERVED, locked: undefined }] }],
    ["a list in place of the object", []],
    ["null", null],
    ["an empty page that is not the last", { ...PAGE, reserved_ips: [], links: { pages: { next: "x" } } }],
  ];
  for (const [what, body] of malformed) {
    it(`with ${what} are refused, and say where`, async () => {
      const { set } = await serve((_request, response) => answer(response, 200, body));

      const error = await errorOf(list(set));

      expect(error).to.deep.include({ kind: "Unavailable", reason: "MalformedAnswer" });
    });
  }

  it("that count more addresses than they hold are no list", async () => {
    const { set } = await serve((_request, response) => answer(response, 200, { ...PAGE, meta: { total: 2 } }));

    expect(await errorOf(list(set))).to.deep.include({ kind: "Unavailable" });
  });

  it("that never end are not followed", async () => {
    const endless = { ...PAGE, links: { pages: { next: "x" } } };
    const { set, rig } = await serve((_request, response) => answer(response, 200, endless));

    expect(await errorOf(list(set))).to.deep.include({ kind: "Unavailable" });
    expect(rig.seen.length).to.be.below(10);
  });

  it("that grow from page to page are read again from the start", async () => {
    const one = (last: number) => ({ ...RESERVED, ip: `203.0.113.${last}` });
    const next = { pages: { next: "x" } };
    // One is added in front between the pages: the second page repeats an address, and the new one would be missed.
    const pages = [
      { reserved_ips: [one(1), one(2)], links: next, meta: { total: 3 } },
      { reserved_ips: [one(2), one(3)], links: {}, meta: { total: 4 } },
      { reserved_ips: [one(9), one(1)], links: next, meta: { total: 4 } },
      { reserved_ips: [one(2), one(3)], links: {}, meta: { total: 4 } },
    ];
    const { set } = await serve((_request, response) => answer(response, 200, pages.shift()));

    expect((await list(set)).map(({ ip }) => ip.slice(-1))).to.have.members(["9", "1", "2", "3"]);
  });

  it("without the holder are no unassigned address: the token lacks a scope", async () => {
    const { droplet: _droplet, ...rest } = RESERVED;
    const { set } = await serve((_request, response) => answer(response, 200, { ...PAGE, reserved_ips: [rest] }));

    const error = await errorOf(list(set));

    expect(error).to.deep.include({ kind: "Unauthorized" });
    expect(String(error)).to.include("droplet:read");
  });

  /** Lists one address without its droplet, and one droplet. @param held what the address shows when it is read alone */
  async function listUnheld(publicIp: string, held: object) {
    const network = { type: "public", ip_address: publicIp };
    const droplets = [{ id: 7, networks: { v4: [network] } }];
    const unheld = { ...RESERVED, droplet: null };
    const answers: Readonly<Record<string, object>> = {
      "/v2/reserved_ips": { ...PAGE, reserved_ips: [unheld] },
      "/v2/droplets": { droplets, links: {}, meta: { total: 1 } },
      [`/v2/reserved_ips/${RESERVED.ip}`]: { reserved_ip: { ...unheld, ...held } },
    };
    const { set } = await serve((request, response) =>
      answer(response, 200, answers[new URL(request.url ?? "", "http://api").pathname]),
    );
    return list(set);
  }

  it("that show no holder at all do not count while a droplet shows one of the addresses as its own", async () => {
    const error = await errorOf(listUnheld(RESERVED.ip, {}));
    expect(error).to.deep.include({ kind: "Unavailable", reason: "MalformedAnswer" });
    expect(String(error)).to.include(`droplet 7 has ${RESERVED.ip}`).and.include("droplet:read");
  });

  for (const [what, publicIp, held] of [
    ["the droplets have other addresses", "203.0.113.8", {}],
    ["the address has been assigned meanwhile", RESERVED.ip, { droplet: { id: 7 } }],
    ["the address is being assigned", RESERVED.ip, { locked: true }],
  ] as const) {
    it(`that show no holder at all count if ${what}`, async () => {
      const [facts] = await listUnheld(publicIp, held);
      expect(facts).to.include({ ip: RESERVED.ip }).and.not.have.property("holder");
    });
  }

  for (const [status, counts] of [
    [404, true],
    [500, true],
    [403, false],
  ] as const) {
    it(`that show no holder at all ${counts ? "count" : "do not count"} if the droplets are answered with ${status}`, async () => {
      const unheld = { ...RESERVED, droplet: null };
      const { set } = await serve((request, response) => {
        if (request.url?.startsWith("/v2/droplets") === true) answer(response, status, { id: "x", message: "no" });
        else answer(response, 200, { ...PAGE, reserved_ips: [unheld] });
      });
      if (counts) expect(await list(set)).to.have.length(1);
      else expect(await errorOf(list(set))).to.deep.include({ kind: "Unauthorized" });
    });
  }

  it("come through the proxy of the environment", async () => {
    const rig = await HttpRig.create();
    const connects: string[] = [];
    rig.server.on("connect", ({ url }, socket) => {
      connects.push(url ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    const set = setAt("https://cloud.example", { HTTPS_PROXY: rig.url, NO_PROXY: "direct.example" });

    expect(await errorOf(list(set))).to.include({ kind: "Unavailable" });
    expect(connects).to.deep.equal(["cloud.example:443"]);
    await set.close();
    await rig.close();
  });

  it("that never come are distinguished: refused connections were not sent", async () => {
    const { set, rig } = await serve(() => undefined);
    await new Promise((resolve) => rig.server.close(resolve));

    const error = await errorOf(set.addresses.create(ASKER, { family: "IPv4", region: "nyc3" }));

    expect(error).to.deep.include({ kind: "Unavailable", outcome: "not-sent", retrySafe: true });
    await new Promise<void>((resolve) => rig.server.listen(0, "127.0.0.1", resolve));
  });

  it("with records that were not asked for do not make a name look delegated", async () => {
    const records = [
      { id: 1, type: "NS", name: "@", data: "ns1.example.net" },
      { id: 2, type: "A", name: "eu", data: "203.0.113.1" },
    ];
    const body = { domain_records: records, links: {}, meta: { total: records.length } };
    const { set } = await serve((_request, response) => answer(response, 200, body));
    const asked = { zone: "example.com", name: "eu.example.com" };
    expect(await set.dns.isDelegated?.(ASKER, asked)).to.equal(false);
    records.push({ id: 3, type: "NS", name: "eu", data: "ns1.example.net" });
    body.meta.total = records.length;
    expect(await set.dns.isDelegated?.(ASKER, asked)).to.equal(true);
  });

  it("of any shape never throw anything but a ProviderError", async () => {
    let body: unknown;
    const { set } = await serve((_request, response) => answer(response, 200, body));
    const works: readonly (() => Promise<unknown>)[] = [
      () => list(set),
      () => get(set),
      () => set.addresses.accountKey(ASKER),
      () => set.addresses.assign(ASKER, { ip: RESERVED.ip, node: "digitalocean://1" }),
      () => set.addresses.create(ASKER, { family: "IPv4", region: "nyc3" }),
      () => set.dns.read(ASKER, { zone: "example.com", name: "www", types: ["A"] }),
      () => set.firewalls.survey(ASKER, "ours", ["digitalocean://1"]),
    ];
    const keys = ["reserved_ips", "reserved_ip", "links", "meta", "action", "domain_records", "firewalls", "account"];
    const shape = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(shape, fc.constantFrom(...works), async (json, work) => {
        body = json;
        const error: unknown = await work().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error === undefined || isProviderError(error)).to.equal(true);
      }),
      { numRuns: 150 },
    );
  });
});
