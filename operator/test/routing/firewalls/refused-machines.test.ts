import { expect } from "chai";
import { describe, it } from "mocha";
import { ProviderError, type ProviderErrorProps } from "../../../src/providers/errors.js";
import { RefusedMachines } from "../../../src/routing/firewalls/refused-machines.js";
import { NODE_FAILURE_KEPT_MS } from "../../../src/timings.js";

const [A, B] = ["cloud://a", "cloud://b"];

function answer(props: Partial<ProviderErrorProps> = {}): ProviderError {
  const all = { kind: "Terminal", where: "add", seen: "422", remedy: "check it", outcome: "refused" } as const;
  return new ProviderError({ ...all, ...props });
}

describe("machines that a firewall refused", () => {
  it("are the cause alone as long as it refuses no second one in a row", () => {
    const refused = new RefusedMachines();
    expect(refused.note(answer(), A, 0)).to.equal(true);
    expect(refused.note(answer(), A, 60_000), "again").to.equal(true);
    expect(refused.note(answer(), B, 60_000), "a second one").to.equal(false);
    refused.joined([B]);
    expect([...refused.view(60_000).keys()]).to.deep.equal([A]);
    expect(refused.note(answer(), A, 360_000), "one has joined").to.equal(true);
  });

  it("wait longer each time, and are forgotten in the end", () => {
    const refused = new RefusedMachines();
    refused.note(answer(), A, 0);
    expect(refused.view(0).get(A)).to.include({ failedAt: 0, retryAt: 60_000 });
    refused.note(answer(), A, 60_000);
    expect(refused.view(0).get(A)).to.include({ failedAt: 60_000, retryAt: 360_000 });
    expect(refused.view(360_001 + NODE_FAILURE_KEPT_MS).size).to.equal(0);
    expect(refused.note(answer(), B, 0), "A says nothing any more").to.equal(true);
  });

  it("are not the cause where the answer names the firewall, the token or a limit, or where the API is down", () => {
    const refused = new RefusedMachines();
    const others: readonly Partial<ProviderErrorProps>[] = [
      ...(["NotFound", "Conflict", "RateLimited", "Unauthorized", "QuotaExceeded"] as const).map((kind) => ({ kind })),
      { kind: "Unavailable", status: 503, outcome: "unknown" },
      { outcome: "not-sent" },
      { reason: "Superseded" },
    ];
    for (const props of others) expect(refused.note(answer(props), A, 0)).to.equal(false);
    expect(refused.view(0).size).to.equal(0);
    const failed = answer({ kind: "Unavailable", status: 500, outcome: "unknown" });
    expect(refused.note(failed, A, 0)).to.equal(true);
  });
});
