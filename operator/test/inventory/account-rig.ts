import { AccountInventory } from "../../src/inventory/account-inventory.js";
import type { CallContext } from "../../src/providers/call.js";
import type { ProviderError } from "../../src/providers/errors.js";
import type {
  ActionFacts,
  AddressFacts,
  AddressProvider,
  CreateOutcome,
  ProviderId,
} from "../../src/providers/types.js";
import { failure } from "../providers/support.js";
import { FakeClock } from "../support/time/fake-clock.js";

export const WEB = { kind: "FloatingIPPool", namespace: "apps", name: "web", uid: "1" };
export const MAIL = { ...WEB, name: "mail", uid: "2" };
export const ASKER: CallContext = { requester: WEB, why: "a test asks", priority: "check" };
export const [A, B, V6] = ["203.0.113.7", "203.0.113.8", "2001:db8::1"];
export const MINUTE = 60_000;

export function facts(ip: string, holder?: ProviderId): AddressFacts {
  return { ip, family: "IPv4", region: "r", ...(holder === undefined ? {} : { holder }) };
}

/** Answers from a map, or as the test says; notes what it is asked. */
export class FakeCloud {
  readonly addresses = new Map<string, AddressFacts>();
  readonly asked: string[] = [];
  /** Missing in lists, though they are there. */
  readonly unlisted = new Set<string>();
  refusal: ProviderError | undefined;
  state: ActionFacts["state"] = "in-progress";
  /** No read finds the action or its address. */
  gone = false;
  outcome: CreateOutcome = { kind: "unknown", error: failure() };
  gate: Promise<void> = Promise.resolve();
  priority: string | undefined;
  urgency: CallContext["urgency"];

  readonly provider = {
    list: async (context: CallContext, { named }: { readonly named: readonly string[] }) => {
      this.asked.push(`list ${named.join(" ")}`.trim());
      this.priority = context.priority;
      this.urgency = context.urgency;
      await this.gate;
      if (this.refusal !== undefined) throw this.refusal;
      return [...this.addresses.values()].filter(({ ip }) => !this.unlisted.has(ip));
    },
    get: async (_: CallContext, ip: string) => {
      this.asked.push(`get ${ip}`);
      const seen = this.addresses.get(ip);
      await this.gate;
      return seen;
    },
    assign: async (_: CallContext, { ip }: { readonly ip: string }) => {
      if (this.refusal !== undefined) throw this.refusal;
      return { id: "7", ip, state: "in-progress" } as const;
    },
    action: async (_: CallContext, { ip, id }: { readonly ip: string; readonly id: string }, expected?: ProviderId) => {
      this.asked.push(`action ${id} ${expected}`);
      return this.gone ? ({ id, ip, state: "errored", gone: true } as const) : { id, ip, state: this.state };
    },
    create: async () => this.outcome,
    release: async (_: CallContext, ip: string) => void this.addresses.delete(ip),
  } satisfies Partial<AddressProvider> as Partial<AddressProvider> as AddressProvider;
}

export function start(...addresses: readonly AddressFacts[]) {
  const [clock, cloud] = [new FakeClock(), new FakeCloud()];
  for (const address of addresses) cloud.addresses.set(address.ip, address);
  const inventory = new AccountInventory(cloud.provider, "IPv4", clock);
  const list = (maxAgeSeconds = 0) => inventory.ensure({ maxAgeSeconds });
  const holder = (ip = A) => inventory.view().get(ip)?.holder;
  /** An action of ours on an address, up to its end. */
  const move = async (ip: string, node: ProviderId) => {
    await inventory.assign(cloud.provider, ASKER, { ip, node });
    cloud.state = "completed";
    await inventory.poll(cloud.provider, ASKER, { ip, id: "7", expected: node });
    cloud.addresses.set(ip, facts(ip, node));
  };
  return { clock, cloud, inventory, list, holder, move };
}
