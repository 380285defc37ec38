/** Every fault at every request of an operation: what must hold afterwards, whatever came of it. */

import { expect } from "chai";
import { skip } from "flipop-testbed";
import { describe, it } from "mocha";
import { isProviderError, type ProviderError } from "../../../src/providers/errors.js";
import type { Bench, FaultBench } from "./benches.js";

/** An operation, and what must be true of the world after it was hit by a fault. */
export interface FaultCase<B extends Bench> {
  readonly name: string;
  /** Some APIs have no request for it: the case is skipped where none is sent. @default false */
  readonly mayAskNothing?: boolean;
  /** Sets the scene. Returns what runs under the fault. */
  prepare(bench: B): Promise<Scene> | Scene;
}

export interface Scene {
  run(): Promise<unknown>;
  /** Right after it, with the fault still there. */
  check(outcome: FaultOutcome): void;
  /** Once the cloud is well again: reads, plans and acts anew. Must end where the operation wanted to get. */
  converge?(): Promise<void>;
}

export interface FaultOutcome {
  readonly value?: unknown;
  readonly error?: ProviderError;
  readonly fault: string;
}

/** @param faults names that the benches' `inject` knows. */
export function faultContract<B extends Bench & FaultBench>(
  title: string,
  start: () => Promise<B>,
  faults: readonly string[],
  cases: readonly FaultCase<B>[],
): void {
  describe(`${title} under every fault at every request`, () => {
    for (const one of cases) {
      let counted: Promise<number> | undefined;
      for (const fault of faults) {
        it(`${one.name}: ${fault}`, async function () {
          counted ??= countRequests(start, one);
          const requests = await counted;
          if (requests === 0 && one.mayAskNothing === true) return skip(this, `${one.name}: it sends no request here`);
          expect(requests, `requests of "${one.name}" without a fault`).to.be.greaterThan(0);
          // Each in a cloud and on a clock of its own.
          await Promise.all(Array.from({ length: requests }, (_, index) => strike(start, one, fault, index + 1)));
        });
      }
    }
  });
}

async function countRequests<B extends Bench>(start: () => Promise<B>, one: FaultCase<B>): Promise<number> {
  const bench = await start();
  try {
    const scene = await one.prepare(bench);
    const before = bench.calls();
    await bench.drive(scene.run());
    return bench.calls() - before;
  } finally {
    await bench.close();
  }
}

async function strike<B extends Bench & FaultBench>(
  start: () => Promise<B>,
  one: FaultCase<B>,
  fault: string,
  nth: number,
): Promise<void> {
  const bench = await start();
  try {
    const scene = await one.prepare(bench);
    bench.inject(fault, nth);
    const outcome = await outcomeOf(bench.drive(scene.run()), fault);
    if (outcome.error !== undefined) checkError(outcome.error);
    scene.check(outcome);
    await bench.heal();
    await scene.converge?.();
  } catch (error) {
    if (error instanceof Error) error.message = `at request ${nth}: ${error.message}`;
    throw error;
  } finally {
    await bench.close();
  }
}

async function outcomeOf(work: Promise<unknown>, fault: string): Promise<FaultOutcome> {
  try {
    return { value: await work, fault };
  } catch (error) {
    if (!isProviderError(error)) throw new Error(`not a ProviderError: ${String(error)}`, { cause: error });
    return { error, fault };
  }
}

/** Says what to do, on one line, without a proxy's page and without the API's request id. */
function checkError({ message, remedy, where, requestId }: ProviderError): void {
  const advice = typeof remedy === "string" ? remedy : remedy.operator;
  expect(advice.length, message).to.be.greaterThan(10);
  expect(message).to.include(advice).and.include(where);
  expect(message).not.to.match(/[\n<>]/);
  if (requestId !== undefined) expect(message).not.to.include(requestId);
}
