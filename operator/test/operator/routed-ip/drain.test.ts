import { expect } from "chai";
import fc from "fast-check";
import type { JournalEntry } from "flipop-sandbox/http";
import type { StoryClock } from "flipop-sandbox/story-clock";
import { describe, it } from "mocha";
import { type Place, RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const NODES = ["n1", "n2", "n3"] as const;
const SPEED = 10;
/** Slices of the property: each is a drain of its own in a world of its own. */
const RUNS = 6;
const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
/** What the cloud takes for an assignment, and two seconds more: the pods' termination grace. */
const GRACE_MS = 4000 + 2000;

interface Drain {
  /** Of the holder: what comes first. */
  readonly first: "cordon" | "terminate";
  /** ms of the clock between the two. */
  readonly apartMs: number;
  /** ms before the drain at which the alternatives became ready. */
  readonly leadMs: number;
  readonly alternatives: readonly ("n2" | "n3")[];
  /** Of the RoutedIP: for holders that may recover, and a drained one does not. */
  readonly gracePeriodSeconds: number;
}

/** What a client meets: where the address points, and what is there. */
interface Moment {
  readonly at: number;
  readonly holder: string | undefined;
  readonly serves: boolean;
  readonly open: boolean;
}

class Watcher {
  readonly moments: Moment[] = [];
  private serving: ReadonlySet<string> = new Set();
  private readonly ends: readonly (() => void)[];

  constructor(
    private readonly made: RoutedWorld,
    private readonly ip: string,
    clock: StoryClock,
  ) {
    const note = () => this.note();
    // Ends of actions are in no call: those come with time.
    this.ends = [made.world.digitalocean.journal.subscribe(note), clock.onStep(note)];
  }

  serve(...places: readonly Place[]): void {
    this.serving = new Set(places.filter(({ serving = true }) => serving).map(({ node }) => node));
    this.made.serve(...places);
    this.note();
  }

  end(): void {
    for (const end of this.ends) end();
  }

  private note(): void {
    const { digitalocean, clock } = this.made.world;
    const { dropletId } = digitalocean.state.address(this.ip);
    const holder =
      dropletId === null || dropletId === undefined ? undefined : digitalocean.state.droplet(dropletId)?.name;
    const { nodes = [], ports = [] } = this.made.firewall() ?? {};
    const open = holder !== undefined && nodes.includes(holder) && ports.includes("443");
    this.moments.push({ at: clock.now(), holder, serves: holder !== undefined && this.serving.has(holder), open });
  }
}

async function drain({ first, apartMs, leadMs, alternatives, ...spec }: Drain): Promise<readonly string[]> {
  const made = await RoutedWorld.create(NODES, { speed: SPEED });
  const { world } = made;
  const { ip } = world.digitalocean.state.addAddress();
  const watcher = new Watcher(made, ip, world.clock);
  try {
    made.addIssuer();
    made.addRouted("a", { routedIP: ip, ...spec });
    watcher.serve({ node: "n1" });
    world.start();
    await made.ready("a");
    await made.until("on n1", () => made.nodeOf("a") === "n1");
    const from = watcher.moments.length;
    const others = alternatives.map((node) => ({ node }));
    watcher.serve({ node: "n1" }, ...others);
    await world.clock.sleep(leadMs);
    const steps = [() => made.cordon("n1"), () => watcher.serve({ node: "n1", ready: false }, ...others)];
    const [one, other] = first === "cordon" ? steps : steps.toReversed();
    one?.();
    await world.clock.sleep(apartMs);
    other?.();
    // The pods were asked to end with the first step or with the second.
    await world.clock.sleep(first === "cordon" ? GRACE_MS : Math.max(0, GRACE_MS - apartMs));
    watcher.serve(...others);
    await made.until("settled", () => made.nodeOf("a") !== "n1" && made.firewall()?.nodes.join() === made.nodeOf("a"));
    const moves = world.digitalocean.journal
      .calls({ on: ASSIGN })
      .map(({ body }: JournalEntry) => JSON.stringify(body));
    expect(moves, "one assignment at first, and one move").to.have.length(2);
    const bad = watcher.moments.slice(from).filter(({ serves, open }) => !serves || !open);
    return bad.map((moment) => JSON.stringify(moment));
  } finally {
    watcher.end();
    await made.close();
  }
}

const DRAIN: fc.Arbitrary<Drain> = fc.record({
  first: fc.constantFrom("cordon", "terminate"),
  apartMs: fc.integer({ min: 0, max: GRACE_MS }),
  leadMs: fc.integer({ min: 0, max: 3000 }),
  alternatives: fc.shuffledSubarray(["n2", "n3"] as const, { minLength: 1 }).map((nodes) => [...nodes]),
  gracePeriodSeconds: fc.constantFrom(0, 60),
});

describe("operator in process: a drain of the node that has the address", function () {
  this.timeout(300_000);

  it("leaves the address at no time with a node that does not answer, or whose firewall is closed", async () => {
    const slice = fc.sample(DRAIN, RUNS);
    const ends = await Promise.all(slice.map(async (one) => ({ ...one, bad: await drain(one) })));
    for (const { bad, ...one } of ends) expect(bad, JSON.stringify(one)).to.deep.equal([]);
  });
});
