import type { FloatingIPPoolStatus, PendingCreation, RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { OpenAccount } from "../../../src/addresses/call-outcomes.js";
import {
  type CreationRecords,
  createAddress,
  endCreation,
  knownStatus,
  noteCreation,
  recordCreation,
} from "../../../src/addresses/creation/create-address.js";
import { CreationRegistry } from "../../../src/addresses/creation/creation-registry.js";
import type { CreationResult } from "../../../src/addresses/creation/creation-result.js";
import type { PoolObject } from "../../../src/controllers/floating-ip-pool/resource.js";
import { CREATION_FIELDS as OF_POOL } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { CREATION_FIELDS as OF_ROUTED } from "../../../src/controllers/routed-ip/address/address-set.js";
import { silentLogger } from "../../../src/logging.js";
import type { CallContext } from "../../../src/providers/call.js";
import { DryRunError, ProviderError } from "../../../src/providers/errors.js";
import type { ObjectWrite } from "../../../src/reconcile/object-writer.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const IP = "192.0.2.7";
const STARTED = "2026-01-02T03:04:05Z";
const METADATA = { name: "a", namespace: "default", uid: "a", resourceVersion: "1" };
const INTENT: PendingCreation = { startedAt: STARTED, provider: "digitalocean", family: "IPv4" };
const FOUND: CreationResult = {
  startedAt: STARTED,
  created: { ip: IP, createdTime: STARTED, status: { state: "unassigned" }, inferred: true },
};

describe("what the status lacks of a creation that this process knows", () => {
  const pool = (status: FloatingIPPoolStatus, result = FOUND) =>
    knownStatus(OF_POOL, { metadata: METADATA, status }, result);
  const routed = (status: RoutedIPStatus, result = FOUND) =>
    knownStatus(OF_ROUTED, { metadata: METADATA, status }, result);

  it("is added, and the intent ends", () => {
    expect(pool({ pendingCreation: INTENT })).to.deep.equal({
      createdIPs: [{ ip: IP, createdTime: STARTED, inferred: true }],
      ips: { [IP]: { state: "unassigned" } },
    });
    expect(routed({ pendingCreation: INTENT })).to.deep.equal({
      created: true,
      inferred: true,
      routedIP: IP,
      state: "unassigned",
    });
  });

  it("leaves what is on record as it is: the place in the spec, the state of the address", () => {
    const recorded = {
      createdIPs: [{ ip: IP, createdTime: STARTED, inSpec: true, inferred: true }],
      ips: { [IP]: { state: "active" as const } },
    };
    expect(pool(recorded)).to.equal(recorded);
    const served: RoutedIPStatus = { created: true, inferred: true, routedIP: IP, state: "active" };
    expect(routed(served)).to.equal(served);
  });

  it("is nothing where another creation is open", () => {
    const other = { pendingCreation: { ...INTENT, startedAt: "2026-02-02T00:00:00Z" } };
    const refused = { startedAt: STARTED };
    expect(pool(other, refused)).to.equal(other);
    expect(routed(other, refused)).to.equal(other);
  });
});

describe("the record of a creation", () => {
  /** A server that answers with the second status; what it is sent. */
  const server = (before: FloatingIPPoolStatus, after: FloatingIPPoolStatus) => {
    const sent: string[] = [];
    const write = ({ patch }: ObjectWrite<PoolObject>) => {
      sent.push(JSON.stringify(patch({ metadata: METADATA, status: before })?.body));
      return Promise.resolve({ metadata: METADATA, status: after });
    };
    const memory = { creationResult: undefined as CreationResult | undefined, onCreationResult: () => undefined };
    const ref = { kind: "FloatingIPPool", namespace: "default", name: "a", uid: "a" };
    return { sent, holder: { ref, memory, write, object: () => ({}) } };
  };
  const entry = { ip: IP, createdTime: STARTED };

  it("is taken back where the server does not keep that the address is inferred, and is tried again", async () => {
    const { sent, holder } = server({ pendingCreation: INTENT, createdIPs: [entry] }, { createdIPs: [entry] });
    let dropped = 0;
    const fields = { ...OF_POOL, onMarkDropped: () => void dropped++ };
    const error = await recordCreation(fields, holder, FOUND).catch((caught: Error) => caught.message);
    expect(error).to.contain("the API server drops status.createdIPs[].inferred: apply the CRDs");
    expect([dropped, sent.length]).to.deep.equal([1, 2]);
    expect(sent[1]).to.contain('"createdIPs":[]');
    expect(holder.memory.creationResult, "this process still knows it").to.equal(FOUND);
  });

  for (const [what, object, says] of [
    ["the resource is there", () => ({}), "serves the address and writes again"],
    ["the resource is gone", () => undefined, "an address that was created stays with the account"],
  ] as const) {
    it(`says in the log what happens next where it cannot be written and ${what}`, async () => {
      const { holder } = server({ pendingCreation: INTENT }, {});
      const refusing = { ...holder, object, write: () => Promise.reject(new Error("the API server is away")) };
      const lines: string[] = [];
      const error = (fields: object, message: string) => lines.push(JSON.stringify({ ...fields, message }));
      const logger = { ...silentLogger, error };
      await endCreation(OF_POOL, refusing, { result: FOUND, logger });
      expect(lines.join()).to.contain(says).and.contain(IP);
      expect(holder.memory.creationResult, "this process still knows it").to.equal(FOUND);
    });
  }

  it("does not forget the place in the spec when it is written again", async () => {
    const status = { pendingCreation: INTENT, createdIPs: [{ ...entry, inSpec: true, inferred: true }] };
    const { sent, holder } = server(status, status);
    await recordCreation(OF_POOL, holder, FOUND);
    expect(sent[0]).to.contain('"pendingCreation":null').and.not.contain("createdIPs");
    expect(holder.memory.creationResult).to.equal(undefined);
  });
});

describe("an open creation", () => {
  const ref = { kind: "RoutedIP", namespace: "default", name: "a", uid: "a" };
  const asker = {
    resource: { ...ref, uid: "b" },
    provider: "digitalocean",
    family: "IPv4",
    account: undefined,
  } as const;
  const noted = (intent: PendingCreation | undefined, running: boolean) => {
    const creations = new CreationRegistry();
    const clock = new FakeClock();
    noteCreation({ creations, clock }, { resource: ref, running: false, account: undefined }, INTENT);
    noteCreation({ creations, clock }, { resource: ref, running, account: undefined }, intent);
    return creations.others(asker).map(({ node, startedAt }) => ({ node, late: (startedAt ?? 0) > clock.now() }));
  };

  it("counts for others until its end is on record and no call runs", () => {
    const providerID = "digitalocean://n1";
    const future = { ...INTENT, providerID, startedAt: "2999-01-01T00:00:00Z" };
    expect(noted(future, false), "a clock that was set back").to.deep.equal([{ node: providerID, late: false }]);
    expect(noted(undefined, true)).to.have.length(1);
    expect(noted(undefined, false)).to.deep.equal([]);
  });
});

const CREATED_IP = "192.0.2.1";
const REFUSED = new ProviderError({
  kind: "QuotaExceeded",
  where: "digitalocean: create an address",
  seen: "HTTP 422",
  remedy: "ask for more",
  outcome: "refused",
});

describe("the creation of an address", () => {
  /** What it reports to its resource when the inventory answers so. */
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
      address: { ip: CREATED_IP },
      action: { id: "7", state: "in-progress" },
    }));
    expect(said).to.deep.equal([`created ${CREATED_IP} {"state":"in-progress","actionID":"7"}`]);
    expect(outcome).to.deep.equal({ is: "started", id: "7", ip: CREATED_IP });
  });

  it("ends its intent where the provider refused it: there is nothing to look for", async () => {
    const { said, outcome } = await created(() => Promise.reject(REFUSED));
    expect(said).to.deep.equal(["refused"]);
    expect(outcome).to.equal(REFUSED);
  });

  it("leaves its intent open if its result is unknown", async () => {
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
