import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const LISTED_MS = 310_000;
const CHANGE = /^(POST|DELETE) .*\/reserved_ips/;

describe("operator in process: an API that shows addresses without their droplets", function () {
  this.timeout(120_000);
  let world: World;
  let proxy: HidingProxy;

  afterEach(async () => {
    await world.close();
    proxy.close();
  });

  async function start() {
    world = await World.create({ speed: 60, nodes: 3 });
    proxy = await HidingProxy.to(world.digitalocean.url);
    const ips = world.addAddresses(3);
    world.addPool("web", { ips });
    const first = run();
    await world.fulfilled("web");
    await world.rest();
    return { ips, first };
  }

  function run() {
    const token = { DIGITALOCEAN_ACCESS_TOKEN: world.digitalocean.token, DIGITALOCEAN_API_URL: proxy.url };
    return world.start({}, { env: token });
  }

  for (const [what, mayReadDroplets, reason] of [
    ["and whose token may not read droplets", false, "Unauthorized"],
    ["though its droplets have them", true, "ProviderUnavailable"],
  ] as const) {
    it(`${what}, is reported and assigns nothing, also for a new process`, async () => {
      const { first } = await start();
      const { journal } = world.digitalocean;
      const after = journal.mark;
      proxy.hides = { droplets: !mayReadDroplets };
      const reported = () => world.condition("web", "ProviderReachable")?.reason === reason;
      await world.until("it is reported", reported, 30_000);
      await world.clock.sleep(2 * LISTED_MS);
      await first.stop();
      run();
      await world.clock.sleep(LISTED_MS);
      expect(journal.calls({ on: CHANGE, after })).to.deep.equal([]);
      proxy.hides = undefined;
      await world.until("it is over", () => world.condition("web", "ProviderReachable")?.status === "True", 30_000);
      await world.fulfilled("web");
      expect(journal.calls({ on: CHANGE, after })).to.deep.equal([]);
    });
  }

  it("though a person took them off, assigns them again", async () => {
    const { ips } = await start();
    for (const ip of ips) world.digitalocean.state.setHolder(ip, null);
    await world.until("they are back", () => ips.every((ip) => world.holder(ip) !== undefined));
  });
});

/** Hides the droplets of addresses; and all droplets, as from a token that may not read them. */
class HidingProxy {
  hides: { readonly droplets: boolean } | undefined;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  private constructor(private readonly target: string) {}

  static async to(target: string): Promise<HidingProxy> {
    const made = new HidingProxy(target);
    await new Promise<void>((listening) => made.server.listen(0, "127.0.0.1", listening));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "" } = request;
    const { status, text } = await this.forward(request);
    response.setHeader("content-type", "application/json");
    if (this.hides?.droplets === true && url.startsWith("/v2/droplets")) {
      response.writeHead(403).end(JSON.stringify({ id: "forbidden", message: "You are not authorized" }));
    } else {
      const hidden = this.hides !== undefined && url.startsWith("/v2/reserved_ips");
      response.writeHead(status).end(hidden ? withoutDroplets(text) : text);
    }
  }

  private async forward(request: IncomingMessage) {
    const body = await readText(request);
    const { method = "GET", url = "", headers } = request;
    const sent = {
      method,
      headers: { authorization: String(headers.authorization), "content-type": "application/json" },
    };
    const answer = await fetch(`${this.target}${url}`, body === "" ? sent : { ...sent, body });
    return { status: answer.status, text: await answer.text() };
  }
}

function withoutDroplets(text: string): string {
  const hide = (key: string, value: unknown) => (key === "droplet" ? null : value);
  return text === "" ? text : JSON.stringify(JSON.parse(text), hide);
}
