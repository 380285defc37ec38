import { expect } from "chai";
import type { ProviderErrorProps } from "../../../src/providers/errors.js";

/** A call that must be refused in this way: the failure names it. */
export async function refused(work: Promise<unknown>, expected: Partial<ProviderErrorProps>): Promise<void> {
  const error = await work.then(
    () => expect.fail(`did not reject; expected ${JSON.stringify(expected)}`),
    (reason: unknown) => reason,
  );
  expect(error, String(error)).to.deep.include(expected);
}
