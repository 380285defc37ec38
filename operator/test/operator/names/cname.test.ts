/** A CNAME on the name of a record set: resolvers ignore addresses beside it, so none are written. */

import { type DnsRecordSet, GROUP_VERSION, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import type { World } from "../world.js";

const RESOURCE = { apiVersion: GROUP_VERSION, namespace: "default", name: "web" };
const NAME: DnsRecordSet = { zone: "example.com", recordName: "b1", deletionPolicy: "Delete" };
const KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP"] as const;
const LONG_MS = 20_000;

type KindName = (typeof KINDS)[number];

describe("operator in process: a CNAME on the name of a record set", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let world: World;
  let ips: readonly string[];

  beforeEach(async () => {
    made = await RoutedWorld.create(["n1"]);
    world = made.world;
    made.addIssuer();
    made.serve({ node: "n1" });
    ips = world.addAddresses(1);
    world.start();
  });

  afterEach(() => made.close());

  const dns = () => world.digitalocean.state.dns;
  const records = () => dns().records("example.com", "b1");
  const writes = () => world.digitalocean.journal.count({ on: /\/records/, mutating: true });
  const addCname = () => dns().addRecord("example.com", { type: "CNAME", name: "b1", data: "other.example.com." });
  const until = (what: string, is: () => boolean) => world.until(what, is, LONG_MS);
  const status = (kind: KindName) => (world.kubernetes.get({ ...RESOURCE, kind })?.["status"] ?? {}) as Status;
  const ready = (kind: KindName) => {
    const { status: value, reason } = status(kind).conditions?.find(({ type }) => type === "DNSReady") ?? {};
    return `${value}/${reason}`;
  };

  function add(kind: KindName): void {
    const dnsRecordSet = NAME;
    if (kind === "FloatingIPPool") world.addPool("web", { ips, dnsRecordSet });
    else if (kind === "RoutedIP") made.addRouted("web", { routedIP: ips[0] ?? "", dnsRecordSet });
    else world.kubernetes.create({ apiVersion: GROUP_VERSION, kind, metadata: RESOURCE, spec: { dnsRecordSet } });
  }

  for (const kind of KINDS) {
    it(`keeps a ${kind} from writing, until it is gone`, async () => {
      const { id } = addCname();
      add(kind);
      await until("its condition names it", () => ready(kind) === "False/RecordExists");
      await world.clock.sleep(600_000);
      expect(ready(kind)).to.equal("False/RecordExists");
      expect(status(kind).retryAt, "the time of the next read").not.to.equal(undefined);
      expect(writes(), "nothing is sent that the list shows to be useless").to.equal(0);
      dns().removeRecord("example.com", id);
      await until("it is ready", () => ready(kind) === "True/Observed");
      expect(records().map(({ type }) => type)).to.deep.equal(["A"]);
    });

    it(`shows it also where a ${kind} has written addresses, and leaves them`, async () => {
      add(kind);
      await until("it is ready", () => ready(kind) === "True/Observed");
      const { id } = addCname();
      const before = writes();
      await until("its condition names it", () => ready(kind) === "False/RecordExists");
      dns().removeRecord("example.com", id);
      await until("it is ready again", () => ready(kind) === "True/Observed");
      expect(writes()).to.equal(before);
      addCname();
      world.kubernetes.delete({ ...RESOURCE, kind });
      await until("it is deleted", () => world.kubernetes.get({ ...RESOURCE, kind }) === undefined);
      expect(records().map(({ type }) => type)).to.deep.equal(["CNAME"]);
    });
  }
});

type Status = Pick<NodeDNSRecordSetStatus, "conditions" | "retryAt">;
