import { expect } from "chai";
import { describe, it } from "mocha";
import { isExpired, StatusError } from "../../../src/kube/client.js";
import { readEvents } from "../../../src/kube/watch/read-events.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const event = (name: string) => ({ type: "ADDED", object: { metadata: { name, uid: name, resourceVersion: "1" } } });

async function read(
  chunks: readonly Buffer[],
  onEvent?: (name: string) => Promise<void> | undefined,
): Promise<string[]> {
  async function* stream(): AsyncGenerator<Buffer, void, undefined> {
    yield* chunks;
  }
  const names: string[] = [];
  await readEvents(Object.assign(stream(), { close: () => {} }), {
    clock: new FakeClock(),
    signal: new AbortController().signal,
    onBytes: () => {},
    onEvent: ({ object }) => {
      names.push(object.metadata.name);
      return onEvent?.(object.metadata.name);
    },
  });
  return names;
}

const errorOf = (text: string): Promise<unknown> =>
  read([Buffer.from(text)]).then(
    () => expect.fail("no error"),
    (error: unknown) => error,
  );

describe("reading watch events", () => {
  it("gives the same events wherever the bytes are cut", async () => {
    const bytes = Buffer.from(`${JSON.stringify(event("grüße"))}\n${JSON.stringify(event("日本"))}\n`);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).to.deep.equal(["grüße", "日本"]);
    }
  });

  it("waits for a handler's promise before the next event", async () => {
    const order: string[] = [];
    const bytes = Buffer.from(`${JSON.stringify(event("a"))}\n${JSON.stringify(event("b"))}\n`);
    await read([bytes], async (name) => {
      order.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
    });
    expect(order).to.deep.equal(["a starts", "a ends", "b starts", "b ends"]);
  });

  it("throws an ERROR event as the status that it is", async () => {
    const status = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
    const error = await errorOf(`${JSON.stringify({ type: "ERROR", object: status })}\n`);
    expect(error).to.be.instanceOf(StatusError);
    expect(isExpired(error)).to.equal(true);
  });

  it("quotes what is no event", async () => {
    expect(String(await errorOf("<html>\n"))).to.include('a line is not JSON: "<html>"');
    expect(String(await errorOf('{"type":"WHAT","object":{}}\n'))).to.include('is not a watch event: "{"type":"WHAT"');
    expect(String(await errorOf('{"type":"ADDED"'))).to.include("ended in the middle of an event, after 15 bytes");
  });
});
