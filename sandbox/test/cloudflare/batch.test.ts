import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type CloudflareRig, startCloudflareRig } from "../support/cloudflare-rig.js";

describe("simulated Cloudflare: batches", () => {
  let rig: CloudflareRig;
  beforeEach(async () => {
    rig = await startCloudflareRig({ zones: [{ name: "example.com" }, { name: "paid.example", plan: "pro" }] });
  });
  afterEach(() => rig.close());

  const batch = (body: unknown, zone = "example.com") =>
    rig.call("POST", `/zones/${rig.simulator.zone(zone).id}/dns_records/batch`, body);
  const a = (content: string) => ({ type: "A" as const, name: "www.example.com", content, ttl: 60 });
  const add = (content: string) => rig.simulator.addRecord("example.com", a(content)).id;
  const contents = () => rig.simulator.records("example.com").map(({ content }) => content);

  it("deletes, patches, puts and posts, in this order, in whichever order the body has them", async () => {
    const [first, second, third] = [add("192.0.2.1"), add("192.0.2.2"), add("192.0.2.3")];
    // Each takes over what the one before it gives up: in any other order one would be refused.
    const answer = await batch({
      posts: [a("192.0.2.3")],
      puts: [{ id: third, ...a("192.0.2.2") }],
      patches: [{ id: second, content: "192.0.2.1" }],
      deletes: [{ id: first }],
    });
    expect([answer.status, contents()]).to.deep.equal([200, ["192.0.2.1", "192.0.2.2", "192.0.2.3"]]);
  });

  it("changes nothing where one change is refused, and says which refusal", async () => {
    const id = add("192.0.2.1");
    add("192.0.2.2");
    const answer = await batch({ deletes: [{ id }], posts: [a("192.0.2.3"), a("192.0.2.2")] });
    expect([answer.status, answer.codes, contents()]).to.deep.equal([400, [81058], ["192.0.2.1", "192.0.2.2"]]);
  });

  it("refuses a record that is gone", async () => {
    const answer = await batch({ deletes: [{ id: "0".repeat(32) }] });
    expect([answer.status, answer.codes]).to.deep.equal([404, [81044]]);
  });

  it("takes 200 changes on the free plan and 3,500 on paid ones", async () => {
    const posts = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: "TXT", name: `t${index}`, content: "x" }));
    const statuses = [
      await batch({ posts: posts(201) }),
      await batch({ posts: posts(200) }),
      await batch({ posts: posts(3_501) }, "paid.example"),
      await batch({ posts: posts(3_500) }, "paid.example"),
    ].map(({ status }) => status);
    expect(statuses).to.deep.equal([400, 200, 400, 200]);
  });

  it("refuses bodies that are no lists of objects", async () => {
    const statuses = [];
    for (const body of [[], { posts: {} }, { deletes: [1] }, { patches: [{ content: "192.0.2.1" }] }]) {
      statuses.push((await batch(body)).status);
    }
    expect(statuses).to.deep.equal([400, 400, 400, 400]);
  });
});
