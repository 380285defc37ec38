import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { ReflectorRig } from "../../support/kube/reflector-rig.js";
import { until } from "../../support/time/until.js";

describe("requests of a reflector", () => {
  let rig: ReflectorRig;
  beforeEach(async () => {
    rig = await ReflectorRig.create();
    rig.api.collection.put("a");
  });
  afterEach(() => rig.close());
  const queries = () =>
    rig.api.seen.map(({ query }) => Object.fromEntries([...query].filter(([key]) => key !== "timeoutSeconds")));

  it("first a watch list; then a probe and a watch from the last version", async () => {
    await rig.synced();
    rig.api.collection.put("b");
    await rig.equal();
    const version = String(rig.api.collection.version);
    rig.proxy.resetAll();
    await until("it watches again", () => rig.api.count("watch") === 2);
    expect(queries()).to.deep.equal([
      { watch: "true", allowWatchBookmarks: "true", sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" },
      { limit: "1", resourceVersion: version, resourceVersionMatch: "NotOlderThan" },
      { watch: "true", allowWatchBookmarks: "true", resourceVersion: version },
    ]);
  });

  it("a random watch timeout between 5 and 10 minutes", async () => {
    await rig.synced();
    const seconds = Number(rig.api.seen[0]?.query.get("timeoutSeconds"));
    expect(seconds).to.be.within(300, 600);
  });

  it("resumes from the version of a bookmark", async () => {
    await rig.synced();
    rig.api.collection.version = 500;
    rig.api.bookmark();
    rig.api.collection.compactedAt = 400;
    rig.api.endWatches();
    await until("it watches again", () => rig.api.count("watch") === 2);
    expect(rig.api.seen.at(-1)?.query.get("resourceVersion")).to.equal("500");
    expect(rig.warnings).to.deep.equal([]);
  });

  it("pages of 500 from the most recent state, where watch lists are off", async () => {
    rig.api.watchListEnabled = false;
    for (let i = 0; i < 600; i++) rig.api.collection.put(`pod-${i}`);
    await rig.synced();
    await until("it watches", () => rig.api.count("watch") === 2);
    const version = String(rig.api.collection.version);
    expect(queries().slice(1)).to.deep.equal([
      { limit: "500" },
      { limit: "500", continue: `500.${version}` },
      { watch: "true", allowWatchBookmarks: "true", resourceVersion: version },
    ]);
  });
});
