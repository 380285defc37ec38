import { expect } from "chai";
import { skip } from "flipop-testbed";
import { describe, it } from "mocha";
import type { UsedOperations } from "../../support/kube/used-operations.js";

export interface OperationsContractOptions {
  readonly used: UsedOperations;
  /** Operations of the official description; `undefined` where it is not there. */
  described(): readonly string[] | undefined;
}

/** Call it after the contracts of the same file: it looks at what they used. */
export function operationsContract(name: string, { used, described }: OperationsContractOptions): void {
  describe(`${name}: the operations of the API that are used`, () => {
    it("were each hit by the contract's tests", function () {
      // Alone, without the contracts, there is nothing to look at.
      if (used.hit.size === 0) return skip(this, `${name}: no test of the contract ran before`);
      expect(used.missed).to.deep.equal([]);
    });

    it("are in the official description", function () {
      const operations = described();
      if (operations === undefined) return skip(this, `${name}: no official description here`);
      expect(used.known.filter((operation) => !operations.includes(operation))).to.deep.equal([]);
    });
  });
}
