import { expect } from "chai";
import { describe, it } from "mocha";
import { insistDeleted } from "./stage/insist.js";

describe("a deletion by the storm", () => {
  const NOT_SERVED = { status: 404, body: { reason: "NotFound" } };
  const DONE = { status: 200, body: {} };

  /** @returns how many requests it took */
  async function requests(...answers: readonly { readonly status: number; readonly body: object }[]): Promise<number> {
    let sent = 0;
    const remove = () => Promise.resolve({ ...(answers[sent++] ?? DONE), warnings: [] });
    await insistDeleted({ delete: remove as never }, "/apis/example.com/v1/things/a");
    return sent;
  }

  it("is repeated while the server fails, or does not serve the kind yet", async () => {
    expect(await requests({ status: 503, body: {} }, NOT_SERVED, DONE)).to.equal(3);
  });

  it("is over when the object is gone", async () => {
    expect(await requests({ status: 404, body: { reason: "NotFound", details: { name: "a" } } })).to.equal(1);
  });
});
