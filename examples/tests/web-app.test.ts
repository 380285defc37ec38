import { test } from "node:test";
import { Duration } from "cdk8s";
import { FlipopAssertions } from "cdk8s-flipop/testing";
import { simulate } from "flipop-sandbox/testing";
import { webApp } from "./web-app.js";

test("the manifests are as planned", () => {
  FlipopAssertions.of(webApp())
    .hasPool("web/web", { desiredIPs: 2, match: { podLabel: "app=ingress" } })
    .hasNoWildcardRight()
    .hasNoRight({ verb: "get", resource: "secrets", namespace: "web" });
});

test("an address moves within 3 seconds, and no node ever holds two", async () => {
  await simulate(webApp(), { fail: "node-1", movesWithin: Duration.seconds(3) });
});
