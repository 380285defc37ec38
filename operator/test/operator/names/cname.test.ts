/** A CNAME on the name of a record set: resolvers ignore addresses beside it, so none are written. */

import type { DnsRecordSet } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { PUBLISHING_KINDS, PublishedName, type PublishingKind } from "./published-name.js";

const NAME: DnsRecordSet = { zone: "example.com", recordName: "b1", deletionPolicy: "Delete" };

describe("operator in process: a CNAME on the name of a record set", function () {
  this.timeout(240_000);
  let scene: PublishedName;

  beforeEach(async () => {
    scene = await PublishedName.start(["n1"]);
  });

  afterEach(() => scene.close());

  const dns = () => scene.world.digitalocean.state.dns;
  const records = () => scene.records("b1");
  const writes = () => scene.world.digitalocean.journal.count({ on: /\/records/, mutating: true });
  const addCname = () => dns().addRecord("example.com", { type: "CNAME", name: "b1", data: "other.example.com." });
  const ready = (kind: PublishingKind) => {
    const { status: value, reason } = scene.dnsReady(kind) ?? {};
    return `${value}/${reason}`;
  };

  for (const kind of PUBLISHING_KINDS) {
    it(`keeps a ${kind} from writing, until it is gone`, async () => {
      const { id } = addCname();
      scene.add(kind, NAME);
      await scene.until("its condition names it", () => ready(kind) === "False/RecordExists");
      await scene.world.clock.sleep(600_000);
      expect(ready(kind)).to.equal("False/RecordExists");
      expect(scene.status(kind).retryAt, "the time of the next read").not.to.equal(undefined);
      expect(writes(), "nothing is sent that the list shows to be useless").to.equal(0);
      dns().removeRecord("example.com", id);
      await scene.until("it is ready", () => ready(kind) === "True/Observed");
      expect(records().map(({ type }) => type)).to.deep.equal(["A"]);
    });

    it(`shows it also where a ${kind} has written addresses, and leaves them`, async () => {
      scene.add(kind, NAME);
      await scene.until("it is ready", () => ready(kind) === "True/Observed");
      const { id } = addCname();
      const before = writes();
      await scene.until("its condition names it", () => ready(kind) === "False/RecordExists");
      dns().removeRecord("example.com", id);
      await scene.until("it is ready again", () => ready(kind) === "True/Observed");
      expect(writes()).to.equal(before);
      addCname();
      scene.world.kubernetes.delete(scene.refTo(kind));
      await scene.until("it is deleted", () => scene.world.kubernetes.get(scene.refTo(kind)) === undefined);
      expect(records().map(({ type }) => type)).to.deep.equal(["CNAME"]);
    });
  }
});
