/**
 * Every fault at every call, generated, as in the conformance suite, but without retries, which would heal most of
 * them, and with changes of more than one batch.
 */

import { expect } from "chai";
import { DEFAULT_TOKEN } from "flipop-sandbox/cloudflare";
import { EVERY_FAULT, type Fault } from "flipop-sandbox/http";
import { afterEach, describe, it } from "mocha";
import { planRecordChanges } from "../../../src/providers/diff.js";
import { ProviderError } from "../../../src/providers/errors.js";
import type { DnsProvider } from "../../../src/providers/types.js";
import { type CloudflareRig, context, startCloudflareRig } from "../../support/cloud/cloudflare-rig.js";
import { drive } from "../conformance/drive.js";

const FQDN = "www.example.com";
const NAME = { zone: "example.com", name: "www", types: ["A"] } as const;
const OLD = addresses(250, 1);
/** Re-points 150, deletes 100: two batches. */
const NEW = addresses(150, 2);
/** Longer than stale reads and any deadline. */
const LONG_MS = 60_000;

interface Operation {
  readonly calls: number;
  run(provider: DnsProvider, rig: CloudflareRig): Promise<unknown>;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  "the account's key": { calls: 1, run: (provider) => provider.accountKey(context) },
  "the full name in a zone given by its id": {
    calls: 1,
    run: (provider, rig) => provider.fqdn(context, { ...NAME, zone: rig.simulator.zone("example.com").id }),
  },
  "changing a record set": { calls: 4, run: (provider) => reconcile(provider) },
};

describe("Cloudflare provider: faults", () => {
  let rig: CloudflareRig;
  afterEach(() => rig.close());

  for (const [what, operation] of Object.entries(OPERATIONS)) {
    for (let nth = 1; nth <= operation.calls; nth++) {
      for (const [name, fault] of Object.entries(EVERY_FAULT)) {
        it(`survive "${name}" at call ${nth} of ${what}`, async () => {
          rig = await startCloudflareRig();
          await survive(rig, operation, nth, fault);
        });
      }
    }
  }

  for (const [what, { calls, run }] of Object.entries(OPERATIONS)) {
    it(`were tried at each of the calls of ${what}`, async () => {
      rig = await startCloudflareRig();
      fill(rig);
      await run(rig.provider(), rig);
      expect(rig.simulator.journal.count()).to.equal(calls);
    });
  }
});

async function survive(rig: CloudflareRig, operation: Operation, nth: number, fault: Fault): Promise<void> {
  fill(rig);
  const provider = rig.provider();
  const injected = rig.simulator.faults.inject(fault, { nth });
  const work = operation.run(provider, rig).then(
    () => undefined,
    (error: unknown) => error,
  );
  const error = await drive(rig.clock, () => rig.simulator.journal.mark, work);
  expect(injected.fired, "the fault struck").to.equal(1);
  if (error !== undefined) expectToHelp(error);
  expectSoundSet(rig);
  await expectToHeal(rig, provider);
}

/** Nothing but a ProviderError comes out; it says what to do, and gives nothing away. */
function expectToHelp(error: unknown): void {
  expect(error).to.be.instanceOf(ProviderError);
  const { remedy, message, outcome, retrySafe, reason, props } = error as ProviderError;
  expect(remedy).to.not.equal("");
  expect(remedy, "no fault of ours").to.not.match(/report this/);
  expect(message).to.not.contain(DEFAULT_TOKEN);
  expect(message).to.not.match(/[\r\n<]/);
  if (props.requestId !== undefined) expect(message).to.not.contain(props.requestId);
  if (outcome === "unknown" && message.includes("change records")) expect(retrySafe, reason ?? "").to.equal(false);
}

/** Never empty, no doubles, nothing that is in neither set. */
function expectSoundSet(rig: CloudflareRig): void {
  const held = contents(rig);
  expect(held).to.not.deep.equal([]);
  expect(new Set(held).size).to.equal(held.length);
  expect(held.filter((value) => !OLD.includes(value) && !NEW.includes(value))).to.deep.equal([]);
}

/** When the faults are over, the next look finds out what happened, and one change brings the rest. */
async function expectToHeal(rig: CloudflareRig, provider: DnsProvider): Promise<void> {
  rig.simulator.faults.clear();
  rig.simulator.tokens.add({ name: "sandbox", secret: DEFAULT_TOKEN });
  await rig.clock.advance(LONG_MS);
  await reconcile(provider);
  expect([...contents(rig)].sort()).to.deep.equal([...NEW].sort());
  expect(await reconcile(provider)).to.equal(0);
}

/** Resolves to the number of changes. */
async function reconcile(provider: DnsProvider): Promise<number> {
  const changes = planRecordChanges(await provider.read(context, NAME), { values: NEW, ttl: 60, owner: "default/web" });
  await provider.apply(context, changes);
  return changes.steps.length;
}

function fill(rig: CloudflareRig): void {
  for (const content of OLD) rig.simulator.addRecord("example.com", { type: "A", name: "www", content, ttl: 60 });
}

function contents(rig: CloudflareRig): readonly string[] {
  return rig.simulator.records("example.com", FQDN).map(({ content }) => content);
}

function addresses(count: number, net: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `10.${net}.0.${index}`);
}
