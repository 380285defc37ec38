import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { Killer } from "../killer.js";
import { World } from "../world.js";

describe("operator in process: a created address beyond what its pool asks for, which another pool lists", function () {
  this.timeout(240_000);
  let world: World;
  afterEach(() => world.close());

  const createdBy = (name: string) => world.status(name).createdIPs?.map(({ ip }) => ip) ?? [];
  const owners = (ip: string) => ["web", "site"].filter((name) => createdBy(name).includes(ip));
  const isInAccount = (ip: string) => world.digitalocean.state.addresses().some((each) => each.ip === ip);

  interface Scene {
    /** The heir was created first. */
    readonly older?: boolean;
    readonly reclaimPolicy: "Delete" | "Retain";
  }

  /** Pool `web` has two addresses and is to ask for one; pool `site` has the other one in reserve, beside its own. */
  async function surplus({ older = false, reclaimPolicy }: Scene): Promise<string> {
    world = await World.create({ nodes: 4 });
    const [own = ""] = world.addAddresses(1);
    if (older) world.addPool("site", { ips: [own], reclaimPolicy });
    const first = world.start();
    if (older) await world.fulfilled("site");
    world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete" });
    await world.fulfilled("web");
    await world.until("the list", () => world.pool("web").spec.ips?.length === 2);
    const ip = world.pool("web").spec.ips?.[1] ?? "";
    const spec = { ips: [own, ip], desiredIPs: 1 };
    if (older) world.edit("site", spec);
    else world.addPool("site", { ...spec, reclaimPolicy });
    await world.until("the claim", () => world.condition("site", "Conflict")?.status === "True");
    await first.stop();
    return ip;
  }

  const scenes: Readonly<Record<string, Scene>> = {
    "that retains it": { reclaimPolicy: "Retain" },
    "that deletes it": { reclaimPolicy: "Delete" },
    "that deletes it, and is older": { older: true, reclaimPolicy: "Delete" },
  };

  for (const [heir, scene] of Object.entries(scenes))
    for (const moment of ["before", "after"] as const)
      it(`has a pool at any time, killed ${moment} a change: an heir ${heir}`, async () => {
        const isReleased = scene.reclaimPolicy === "Delete";
        for (let at = 1, isKilled = true; isKilled; at++) {
          if (at > 1) await world.close();
          const ip = await surplus(scene);
          const killer = new Killer(world, "first", at, moment);
          world.edit("web", { desiredIPs: 1 });
          killer.watch(world.start({}, killer.identity));
          const isOver = () =>
            isReleased ? !isInAccount(ip) && owners(ip).length === 0 : owners(ip).join() === "site";
          await world.until("killed or over", () => killer.killed !== undefined || isOver(), 20_000);
          await killer.killed;
          isKilled = killer.killed !== undefined;
          world.digitalocean.faults.clear();
          if (isInAccount(ip)) expect(owners(ip), `after change ${at}`).not.to.deep.equal([]);
          if (!isKilled) continue;
          world.start();
          await world.until(`the end after change ${at}`, isOver, 20_000);
          await world.rest();
          expect([isInAccount(ip), owners(ip)]).to.deep.equal(isReleased ? [false, []] : [true, ["site"]]);
        }
      });
});
