import { expect } from "chai";
import { describe, it } from "mocha";
import type { OpenAccount } from "../../../src/addresses/calls/call.js";
import { type CreationRecords, createAddress } from "../../../src/addresses/creation/create.js";
import type { CallContext } from "../../../src/providers/call.js";
import { DryRunError, ProviderError } from "../../../src/providers/errors.js";

const IP = "192.0.2.1";
const REFUSED = new ProviderError({
  kind: "QuotaExceeded",
  where: "digitalocean: create an address",
  seen: "HTTP 422",
  remedy: "ask for more",
  outcome: "refused",
});

describe("the creation of an address", () => {
  /** What it tells its resource, when the inventory answers so. */
  const created = async (answer: () => Promise<unknown>) => {
    const said: string[] = [];
    const account = { provider: {}, answered: () => undefined, note: () => undefined };
    const open = { account, inventory: { create: answer } } as unknown as OpenAccount;
    const records: CreationRecords = {
      refused: async () => void said.push("refused"),
      created: async (ip, state) => void said.push(`created ${ip} ${JSON.stringify(state)}`),
    };
    const request = { family: "IPv4", region: "nyc3" } as const;
    const outcome = await createAddress(open, {} as CallContext, request, records).catch((error: unknown) => error);
    return { said, outcome };
  };

  it("is recorded with the action that puts it on its node", async () => {
    const { said, outcome } = await created(async () => ({
      kind: "created",
      address: { ip: IP },
      action: { id: "7", state: "in-progress" },
    }));
    expect(said).to.deep.equal([`created ${IP} {"state":"in-progress","actionID":"7"}`]);
    expect(outcome).to.deep.equal({ is: "started", id: "7", ip: IP });
  });

  it("ends its intent where the provider refused it: there is nothing to look for", async () => {
    const { said, outcome } = await created(() => Promise.reject(REFUSED));
    expect(said).to.deep.equal(["refused"]);
    expect(outcome).to.equal(REFUSED);
  });

  it("leaves its intent open where nobody knows what came of it", async () => {
    const unheard = await created(async () => ({ kind: "unknown", error: REFUSED }));
    expect(unheard.said).to.deep.equal([]);
    expect(unheard.outcome).to.deep.include({ is: "unknown" });
    const broken = await created(() => Promise.reject(new Error("a bug")));
    expect(broken.said).to.deep.equal([]);
  });

  it("ends its intent where nothing was sent: somebody else leads, or it is a dry run", async () => {
    const { said } = await created(() => Promise.reject(new DryRunError("withheld")));
    expect(said).to.deep.equal(["refused"]);
  });
});
