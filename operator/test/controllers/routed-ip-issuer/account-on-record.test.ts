import type { RoutedIPIssuerStatus, RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { accountOnRecord, accountUse } from "../../../src/controllers/routed-ip-issuer/account-on-record.js";

const [FIRST, SECOND] = ["first", "second"];
const FIREWALL = { id: "7", name: "ingress", createdTime: "2025-06-01T08:00:00Z" };

interface Scene {
  readonly seen?: string;
  readonly status?: RoutedIPIssuerStatus;
  readonly users?: readonly RoutedIPStatus[];
  readonly account?: string;
  readonly cachesComplete?: boolean;
}

/** What the status says after a run. */
function recordOf({ seen, status = {}, users = [], account = "good", cachesComplete = true }: Scene) {
  return accountOnRecord({
    issuer: { status },
    accountUse: accountUse(seen, status, users),
    cachesComplete,
    users: users.map(() => "default/a"),
    account,
  });
}

describe("the account on record of an issuer", () => {
  const recorded = { account: FIRST };
  const cases: readonly (readonly [string, Scene, string | undefined])[] = [
    ["is not written for an issuer that no RoutedIP uses", { seen: FIRST }, undefined],
    ["is written for the first RoutedIP, before it has anything", { seen: FIRST, users: [{}] }, FIRST],
    ["is not written before the account answers", { seen: FIRST, users: [{}], account: "untried" }, undefined],
    ["is not written for a token that may not read it", { users: [{}] }, undefined],
    ["stays while another account answers", { seen: SECOND, status: recorded, users: [{ created: true }] }, FIRST],
    ["stays while the account fails", { status: recorded, users: [{ providerID: "7" }], account: "failed" }, FIRST],
    ["stays for a firewall alone", { status: { ...recorded, createdFirewall: FIREWALL } }, FIRST],
    ["stays for an open creation", { status: recorded, users: [{ pendingCreation: {} as never }] }, FIRST],
    ["stays before all RoutedIPs are known", { status: recorded, account: "failed", cachesComplete: false }, FIRST],
    ["goes with the last RoutedIP", { seen: FIRST, status: recorded }, undefined],
    ["goes if the account fails and nothing is in it", { status: recorded, users: [{}], account: "failed" }, undefined],
  ];
  for (const [what, scene, expected] of cases) {
    it(what, () => {
      expect(recordOf(scene)).to.equal(expected);
    });
  }
});
