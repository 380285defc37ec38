import type { PendingCreation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type AddressAccount, ALONE } from "../../../src/addresses/accounts/address-account.js";
import { AssignmentHistory } from "../../../src/addresses/accounts/assignment-history.js";
import { ListObservations } from "../../../src/addresses/creation/creation-registry.js";
import { noteList } from "../../../src/addresses/creation/newcomers.js";
import type { AddressProvider } from "../../../src/providers/types.js";
import { ASKER } from "../../records/fake-dns.js";

const INTENT: PendingCreation = {
  ...{ startedAt: "2025-06-01T10:00:00Z", provider: "digitalocean", family: "IPv4", providerID: "digitalocean://1" },
};

/** The addresses whose history was asked for, where so many are new, by resources that look at the list at these times. */
async function asked(newcomers: number, at: readonly number[] = [1_000]): Promise<readonly string[]> {
  const ips: string[] = [];
  const latestAction = async (_context: unknown, ip: string) => {
    ips.push(ip);
    return undefined;
  };
  const addresses = Array.from({ length: newcomers }, (_, index) => {
    const ip = `192.0.2.${index + 1}`;
    return [ip, { ip, family: "IPv4", region: "nyc3", unconfirmed: false, ageSeconds: 0 }] as const;
  });
  const view = () => ({ complete: true, ageSeconds: 0, addresses: new Map(addresses) });
  let now = 0;
  const clock = { monotonic: () => now };
  const history = new AssignmentHistory({ latestAction } as unknown as AddressProvider, clock);
  const account = { history, inventory: { view } } as unknown as AddressAccount;
  for (now of at) {
    const observations = new ListObservations();
    observations.meet(INTENT, 0);
    await noteList(account, observations, { clock, why: () => ASKER });
  }
  return ips;
}

describe("the history of what is new in the list of an account", () => {
  it("is asked for of a few addresses, and of none where a person has to choose among many", async () => {
    expect(await asked(ALONE)).to.have.length(ALONE);
    expect(await asked(ALONE + 1)).to.deep.equal([]);
  });

  it("is asked for once for all resources, and again after a second", async () => {
    expect(await asked(1, [1_000, 1_000, 1_999])).to.have.length(1);
    expect(await asked(1, [1_000, 2_000])).to.have.length(2);
  });
});
