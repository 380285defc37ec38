/** Follows the operator's own actions to their ends: by id if the id is known, otherwise by reads of the address. */

import type { Clock } from "../clock.js";
import type { CallContext } from "../providers/call.js";
import type { ActionFacts, AddressProvider, ProviderId } from "../providers/types.js";
import {
  abandoned,
  type CachedState,
  completed,
  deadlineOf,
  follow,
  type InFlight,
  type Observation,
  type OwnAction,
  resolution,
  started,
  withLatest,
} from "./cached-address.js";
import { hasEnded } from "./view.js";

export interface ActionTools {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly cachedStates: Pick<ReadonlyMap<string, CachedState>, "get"> & {
    set(ip: string, cachedState: CachedState): unknown;
  };
  /** Reads one address alone. */
  readonly fetch: (context: CallContext, ip: string) => Promise<void>;
  readonly take: (ip: string, observation: Observation) => void;
}

type ActionOf = OwnAction & { readonly ip: string };

export class OwnActions {
  constructor(private readonly tools: ActionTools) {}

  /** One look at a running action. At its deadline, or where its id is unknown, the address itself shows how it ended. */
  async poll(provider: AddressProvider, context: CallContext, action: ActionOf): Promise<ActionFacts> {
    const { ip } = action;
    // Where this process began it, it knows best what the end will be.
    const met = this.meet(action);
    if (met === undefined) return this.ask(provider, context, action);
    if (met.id === "" && met.asked !== true) return this.identify(provider, context, { ...met, ip });
    if (this.isReadFor(met)) return this.resolve(context, ip, met);
    return this.ask(provider, context, { ...met, ip });
  }

  private async ask(
    provider: AddressProvider,
    context: CallContext,
    action: ActionOf & Pick<InFlight, "inferred">,
  ): Promise<ActionFacts> {
    const { ip, id, expected } = action;
    const { clock, take } = this.tools;
    const askedAt = clock.monotonic();
    const facts = await provider.action(context, { ip, id }, expected);
    if (facts.gone === true) {
      take(ip, { facts: undefined, askedAt });
      return resolution(this.tools.cachedStates.get(ip), { ...action, since: askedAt }, clock.monotonic());
    }
    if (action.inferred === true && facts.state === "completed") return this.confirm(context, action);
    this.settle(facts, expected);
    if (facts.state === "errored") await this.tools.fetch(context, ip).catch(() => undefined);
    return facts;
  }

  settle({ id, ip, state }: ActionFacts, expected: ProviderId | undefined): void {
    const cachedState = this.tools.cachedStates.get(ip);
    if (cachedState === undefined) return;
    const now = this.tools.clock.monotonic();
    const known = id === "" ? cachedState : { ...cachedState, lastId: id };
    if (state === "completed") this.tools.cachedStates.set(ip, completed(known, expected, now));
    else if (state === "errored") this.tools.cachedStates.set(ip, abandoned(known));
    else this.tools.cachedStates.set(ip, started(known, { id, expected }, now));
  }

  /** What is in flight; one that only a status knew of is so from here on, until its deadline. */
  private meet({ ip, id, expected }: ActionOf): InFlight | undefined {
    const { cachedStates, clock } = this.tools;
    const cachedState = cachedStates.get(ip);
    if (cachedState !== undefined && cachedState.running === undefined && !hasEnded(cachedState, { id, expected })) {
      cachedStates.set(ip, follow(cachedState, { id, expected }, clock.monotonic()));
    }
    const running = cachedStates.get(ip)?.running;
    // A status may not have the id yet that the list of actions gave.
    return running?.id === id || (id === "" && running?.inferred === true) ? running : undefined;
  }

  private isReadFor(action: InFlight): boolean {
    return action.id === "" || action.over === true || this.tools.clock.monotonic() >= deadlineOf(action);
  }

  /** Once for each lost answer. Where the list of actions cannot be read, only the address shows how the action ended. */
  private async identify(
    provider: AddressProvider,
    context: CallContext,
    met: InFlight & ActionOf,
  ): Promise<ActionFacts> {
    const { clock, cachedStates } = this.tools;
    const { ip } = met;
    const latest = await provider.latestAction?.(context, ip).catch(() => undefined);
    const cachedState = cachedStates.get(ip);
    // A read has ended it meanwhile.
    if (cachedState?.running?.id !== "") return this.resolve(context, ip, met);
    const moment = { now: clock.now(), monotonic: clock.monotonic() };
    const after = withLatest(cachedState, cachedState.running, latest, moment);
    cachedStates.set(ip, after);
    const { running } = after;
    if (running === undefined) return this.failed(context, ip, after);
    if (running.inferred === true && running.over !== true) return { id: running.id, ip, state: "in-progress" };
    return this.resolve(context, ip, running);
  }

  private async failed(context: CallContext, ip: string, { ended }: CachedState): Promise<ActionFacts> {
    await this.tools.fetch(context, ip).catch(() => undefined);
    return { id: ended?.id ?? "", ip, state: "errored" };
  }

  /** The list of actions does not say for which node an action is. */
  private confirm(context: CallContext, { ip, id, expected }: ActionOf): Promise<ActionFacts> {
    const { cachedStates, clock } = this.tools;
    const cachedState = cachedStates.get(ip);
    const running = cachedState?.running;
    if (cachedState === undefined || running?.id !== id) {
      return this.resolve(context, ip, { id, expected, since: clock.monotonic() });
    }
    cachedStates.set(ip, { ...cachedState, running: { ...running, over: true } });
    return this.resolve(context, ip, running);
  }

  private async resolve(context: CallContext, ip: string, action: InFlight): Promise<ActionFacts> {
    await this.tools.fetch(context, ip);
    return resolution(this.tools.cachedStates.get(ip), { ...action, ip }, this.tools.clock.monotonic());
  }
}
