import { expect } from "chai";
import { describe, it } from "mocha";
import { StatusError } from "../../../src/kube/client.js";
import type { Cached } from "../../../src/kube/objects.js";
import { type FailedAttempt, NetworkError, retryDecision } from "../../../src/kube/transport/failures.js";
import { InitialSet } from "../../../src/kube/watch/list.js";

const attempt = (error: unknown, more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  ...{ method: "GET", attempt: 1, maxAttempts: 5, renewed: false, random: 0 },
  error,
  ...more,
});

describe("whether a call to the API server is sent again", () => {
  const busy = (retryAfterSeconds: number) =>
    new StatusError({ code: 429, reason: "TooManyRequests", message: "busy", details: { retryAfterSeconds } });

  it("waits as long as the server asks, but for a wait that outlasts a call", () => {
    expect(retryDecision(attempt(busy(30), { method: "POST" }))).to.deep.equal({ kind: "retry", delayMs: 30_000 });
    expect(retryDecision(attempt(busy(31)))).to.deep.equal({ kind: "give-up" });
  });

  it("sends reads again over a link that broke, not if the certificate is wrong or the cause is unknown", () => {
    const decide = (kind: NetworkError["kind"], method: FailedAttempt["method"] = "GET") =>
      retryDecision(attempt(new NetworkError(kind, "no answer", undefined), { method })).kind;
    expect([decide("reset"), decide("reset", "PATCH")]).to.deep.equal(["retry", "give-up"]);
    expect([decide("tls"), decide("other")]).to.deep.equal(["give-up", "give-up"]);
  });
});

describe("the first set of a watch", () => {
  it("does not have what was deleted while it was sent", () => {
    const set = new InitialSet<Cached>(({ metadata: { uid, name, namespace } }) => ({ uid, name, namespace }));
    const object = (name: string) => ({ metadata: { name, namespace: "a", uid: `uid-${name}`, resourceVersion: "1" } });
    for (const name of ["stays", "goes"]) set.add(object(name));
    set.apply({ type: "DELETED", object: object("goes") });
    set.apply({ type: "ADDED", object: object("comes") });
    expect([...set.values()].map(({ name }) => name)).to.deep.equal(["stays", "comes"]);
  });
});
