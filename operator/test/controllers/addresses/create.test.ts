import { expect } from "chai";
import { describe, it } from "mocha";
import type { OpenAccount } from "../../../src/controllers/addresses/call.js";
import { type CreationRecords, createAddress } from "../../../src/controllers/addresses/create.js";
import type { CallContext } from "../../../src/providers/call.js";
import { ProviderError } from "../../../src/providers/errors.js";

const IP = "192.0.2.1";
const REFUSED = new ProviderError({
  kind: "QuotaExceeded",
  where: "digitalocean: create an address",
  seen: "HTTP 422",
  remedy: "ask for more",
  outcome: "refused",
});

describe("the creation of an address", () => {
  /** What it does with the status, when the inventory answers so. */
  const created = async (answer: () => Promise<unknown>, keep = () => Promise.resolve()) => {
    const said: string[] = [];
    const account = { provider: {}, answered: () => undefined, note: () => undefined };
    const open = { account, inventory: { create: answer } } as unknown as OpenAccount;
    const records: CreationRecords = {
      end: async () => said.push("ended"),
      keep: async (ip, state) => {
        said.push(`kept ${ip} ${JSON.stringify(state)}`);
        await keep();
      },
      lost: (ip) => said.push(`lost ${ip}`),
    };
    const wish = { family: "IPv4", region: "nyc3" } as const;
    const outcome = await createAddress(open, {} as CallContext, wish, records).catch((error: unknown) => error);
    return { said, outcome };
  };

  it("is recorded with the action that puts it on its node", async () => {
    const { said, outcome } = await created(async () => ({
      kind: "created",
      address: { ip: IP },
      action: { id: "7", state: "in-progress" },
    }));
    expect(said).to.deep.equal([`kept ${IP} {"state":"in-progress","actionID":"7"}`]);
    expect(outcome).to.deep.equal({ is: "started", id: "7", ip: IP });
  });

  it("ends its intent where the provider refused it: there is nothing to look for", async () => {
    const { said, outcome } = await created(() => Promise.reject(REFUSED));
    expect(said).to.deep.equal(["ended"]);
    expect(outcome).to.equal(REFUSED);
  });

  it("leaves its intent open where nobody knows what came of it", async () => {
    const unheard = await created(async () => ({ kind: "unknown", error: REFUSED }));
    expect(unheard.said).to.deep.equal([]);
    expect(unheard.outcome).to.deep.include({ is: "unknown" });
    const broken = await created(() => Promise.reject(new Error("a bug")));
    expect(broken.said).to.deep.equal([]);
  });

  it("leaves its intent open where the status can't say that the address is ours, and tells the log", async () => {
    const answer = async () => ({ kind: "created", address: { ip: IP } });
    const { said, outcome } = await created(answer, () => Promise.reject(new Error("no API server")));
    expect(said).to.deep.equal([`kept ${IP} {"state":"unassigned"}`, `lost ${IP}`]);
    expect(outcome).to.deep.include({ is: "unknown" });
  });
});
