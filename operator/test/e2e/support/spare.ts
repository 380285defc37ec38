import type { World } from "./world.js";

/** Addresses of the account that no droplet holds, sorted. */
export function spare(world: World, count: number): readonly string[] {
  return Array.from({ length: count }, () => world.clouds.digitalocean.state.addAddress().ip).sort();
}

/** One of them. */
export function spareOne(world: World): string {
  const [ip = ""] = spare(world, 1);
  return ip;
}
