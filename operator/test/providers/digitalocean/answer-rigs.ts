/** Servers that answer as a test says, each with the provider DigitalOcean in front of it. */

import { Redactor } from "../../../src/logging.js";
import { fixedToken } from "../../../src/providers/credentials.js";
import { digitalOcean } from "../../../src/providers/digitalocean/index.js";
import type { ProviderSet } from "../../../src/providers/layers/compose.js";
import { direct } from "../../../src/providers/layers/deadlines-and-retries.js";
import { type Handler, HttpRig } from "../../support/http-rig.js";
import { ASKER } from "../conformance/benches.js";

export const NOW = Date.UTC(2025, 0, 1);
export const RESERVED = {
  ...{ ip: "203.0.113.7", droplet: { id: 7 }, region: { slug: "nyc3" } },
  ...{ locked: false, project_id: "p" },
};
export const PAGE = { reserved_ips: [RESERVED], links: {}, meta: { total: 1 } };

type Set = Required<Omit<ProviderSet, "longWait" | "creationTurn">>;

export const list = ({ addresses }: Set) => addresses.list(ASKER, { family: "IPv4", named: [] });
export const get = ({ addresses }: Set) => addresses.get(ASKER, RESERVED.ip);

export class AnswerRigs {
  private readonly open: { close(): Promise<void> }[] = [];

  /** A server, and the provider without layers in front of it. */
  async serve(handler: Handler, path = ""): Promise<{ readonly set: Set; readonly rig: HttpRig }> {
    const rig = await HttpRig.create();
    rig.handler = handler;
    const set = setAt(`${rig.url}${path}`);
    this.open.push(set, rig);
    return { set, rig };
  }

  /** The providers first, in the order of their creation. */
  async close(): Promise<void> {
    for (const each of this.open.splice(0)) await each.close();
  }
}

export function setAt(baseUrl: string, env = {}): Set {
  const credentials = fixedToken("dop_v1_0123456789", new Redactor());
  const setup = { credentials, run: direct, userAgent: "flipop-test", env, now: () => NOW, monotonic: () => 0 };
  const { addresses, dns, firewalls, close } = digitalOcean.build({ ...setup, baseUrl });
  if (addresses === undefined || dns === undefined || firewalls === undefined) throw new Error("DigitalOcean has all");
  return { addresses, dns, firewalls, close };
}
