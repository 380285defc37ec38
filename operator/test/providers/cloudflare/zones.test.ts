import { expect } from "chai";
import { describe, it } from "mocha";
import type { CloudflareClient } from "../../../src/providers/cloudflare/client.js";
import { type Zone, Zones } from "../../../src/providers/cloudflare/zones.js";
import { ASKER } from "../../records/fake-dns.js";

const ID = "0123456789abcdef0123456789abcdef";

describe("the zones that a token sees", () => {
  it("are not those of the former token, whose answer comes late", async () => {
    const answers: ((zone: Zone) => void)[] = [];
    let token = "former";
    const client: Pick<CloudflareClient, "token" | "zone"> = {
      token: () => token,
      zone: <T>() => new Promise<T>((resolve) => answers.push((zone) => resolve(zone as T))),
    };
    const zones = new Zones(client as CloudflareClient, () => 0);
    const former = zones.find(ASKER, ID);
    token = "new";
    const found = zones.find(ASKER, ID);
    answers[1]?.({ id: ID, name: "example.com" });
    await found;
    answers[0]?.({ id: ID });
    await former;
    expect(await zones.find(ASKER, ID)).to.deep.equal({ id: ID, name: "example.com" });
  });
});
