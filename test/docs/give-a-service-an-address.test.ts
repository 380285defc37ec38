import { expect } from "chai";
import { simulate } from "flipop-sandbox/testing";
import { describe, it } from "mocha";
import { parseAllDocuments } from "yaml";
import { pageText } from "../support/docs.js";

/** The objects of all YAML blocks of the page. */
function objects(): readonly object[] {
  const blocks = [...pageText("how-to/give-a-service-an-address.md").matchAll(/^```yaml\n(.*?)^```$/gms)];
  return blocks.flatMap(([, block = ""]) => parseAllDocuments(block).map((one) => one.toJS() as object));
}

describe("the manifests in docs/how-to/give-a-service-an-address.md", () => {
  it("give the Service an address with a name and an open port, on another node when the first one fails", async () => {
    const { moves, log } = await simulate(objects(), { fail: "node-1" });
    expect(moves).to.have.length(1);
    expect(log)
      .to.match(/firewall "voice-gateway" was created for udp 5060/)
      .and.match(/A sip\.example\.com \(digitalocean\)/);
  }).timeout(120_000);
});
