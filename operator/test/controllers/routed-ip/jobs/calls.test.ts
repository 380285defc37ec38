import { expect } from "chai";
import { describe, it } from "mocha";
import { createJob } from "../../../../src/controllers/routed-ip/jobs/calls.js";
import { JOB_CLASS } from "./job-class.js";

const LOST = new Error("socket hang up");

/** What the action keeps in the status where the creation of its Job fails. */
async function keptAfter(create: (onSend: () => void) => Promise<never>): Promise<readonly object[]> {
  const kept: object[] = [];
  const tools = {
    jobs: {
      jobService: { namespaces: ["flipop-jobs"], create: (_order: object, onSend: () => void) => create(onSend) },
    },
    routing: { lookUp: { class: () => ({ metadata: { name: "rack", uid: "c" }, spec: { updateRoutedIP: {} } }) } },
  };
  const state = { ref: { uid: "u" }, keep: async (change: () => object) => void kept.push(change()) };
  const call = { state, snapshot: { snapshot: { resolvedClass: JOB_CLASS } } };
  const action = { do: "create-job", variables: {}, attempt: 0 };
  const parts = [tools, call, action] as unknown as Parameters<typeof createJob>;
  const error = await createJob(...parts).catch((caught: unknown) => caught);
  expect(error).to.equal(LOST);
  return kept;
}

describe("the creation of a Job that fails", () => {
  it("ends its intent where nothing was sent: it is tried anew", async () => {
    expect(await keptAfter(() => Promise.reject(LOST))).to.deep.equal([{ pendingCreation: undefined }]);
  });

  it("leaves its intent open where it was sent and the answer was lost: the Job may exist", async () => {
    const sent = (onSend: () => void) => {
      onSend();
      return Promise.reject(LOST);
    };
    expect(await keptAfter(sent)).to.deep.equal([]);
  });
});
