import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { type Fault, ModelCloud } from "../support/model-cloud.js";

const NODES = ["n1", "n2", "n3", "n4"];
const IPS = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"];
const NAME = "web.example.com";

type Step =
  | { readonly do: "ready" | "unready" | "remove" | "add"; readonly node: string }
  | { readonly do: "ask"; readonly ips: readonly string[]; readonly desiredIPs: number }
  | { readonly do: "run"; readonly fault: Fault | undefined }
  | { readonly do: "wait"; readonly seconds: number };

const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(4),
  what: fc.constantFrom("crash-before", "crash-after", "lost", "refused"),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("ready", "unready", "remove", "add"), node: fc.constantFrom(...NODES) }),
  fc.record({
    do: fc.constant("ask"),
    ips: fc.shuffledSubarray(IPS, { minLength: IPS.length }),
    desiredIPs: fc.integer({ min: 1, max: 3 }),
  }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("run"), fault: fc.option(fault, { nil: undefined }) }) },
  fc.record({ do: fc.constant("wait"), seconds: fc.constantFrom(1, 9, 31, 70) }),
);

/** One pool with more addresses than it asks for, in an order that changes. */
class Story {
  readonly cloud = new ModelCloud();

  constructor(actionSeconds: number) {
    this.cloud.actionSeconds = actionSeconds;
    for (const name of NODES) this.cloud.addNode(name);
    const dnsRecordSet = { recordName: NAME, zone: "example.com" };
    this.cloud.addPool("web", { ips: IPS, desiredIPs: 2, dnsRecordSet });
  }

  apply(step: Step): void {
    const { cloud } = this;
    if (step.do === "wait") cloud.now += step.seconds * 1000;
    else if (step.do === "run") cloud.run("web", step.fault);
    else if (step.do === "remove") cloud.removeNode(step.node);
    else if (step.do === "ask") this.ask(step);
    else if (step.do === "add") this.add(step.node);
    else cloud.setReady(step.node, step.do === "ready");
  }

  private ask({ ips, desiredIPs }: { readonly ips: readonly string[]; readonly desiredIPs: number }): void {
    this.cloud.edit("web", { spec: { ...this.cloud.pool("web").spec, ips, desiredIPs } });
  }

  private add(node: string): void {
    if (!this.cloud.nodes.has(node)) this.cloud.addNode(node);
  }

  settle(): void {
    for (let round = 0; round < 40; round++) {
      this.cloud.now += 35_000;
      this.cloud.run("web");
    }
  }
}

function checkNodes({ cloud }: Story): void {
  const holders = [...cloud.addresses.values()].filter((holder) => holder !== undefined);
  expect(holders).to.have.lengthOf(new Set(holders).size);
}

describe("plans of a pool that has more addresses than it asks for, in random histories", () => {
  it("bring up as many as nodes allow, keep the name filled, put no two on one node, and come to rest", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 8), (steps, actionSeconds) => {
        const story = new Story(actionSeconds);
        const { cloud } = story;
        let written = false;
        for (const each of steps) {
          story.apply(each);
          checkNodes(story);
          const values = cloud.zone.get(NAME) ?? [];
          if (written) expect(values).to.not.be.empty;
          written = written || values.length > 0;
        }
        story.settle();
        checkNodes(story);
        const well = NODES.filter((name) => cloud.matches(`digitalocean://${name}`)).length;
        const { desiredIPs = 0, ips = [] } = cloud.pool("web").spec;
        const up = ips.slice(0, desiredIPs).filter((ip) => cloud.matches(cloud.addresses.get(ip)));
        expect(up).to.have.lengthOf(Math.min(well, desiredIPs));
        if (up.length === desiredIPs) expect(cloud.zone.get(NAME)).to.have.members(up);
        const { sequences, requeueAt } = cloud.plan("web");
        expect([sequences, requeueAt]).to.deep.equal([[], undefined]);
        const { status } = cloud.pool("web");
        cloud.run("web");
        expect(cloud.pool("web").status).to.deep.equal(status);
      }),
      { numRuns: 60 },
    );
  });

  it("take an address that serves out of DNS before it leaves its node, unless no other one serves", () => {
    const orders = fc.array(fc.shuffledSubarray(IPS, { minLength: IPS.length }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(orders, fc.constantFrom(0, 8), (changes, actionSeconds) => {
        const story = new Story(actionSeconds);
        const { cloud } = story;
        for (const name of ["n3", "n4"]) cloud.removeNode(name);
        story.settle();
        for (const ips of changes) {
          cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips } });
          for (let round = 0; round < 40; round++) {
            cloud.now += 5_000;
            cloud.run("web");
            for (const ip of cloud.zone.get(NAME) ?? []) expect(cloud.matches(cloud.addresses.get(ip)), ip).to.be.true;
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
