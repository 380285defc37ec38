/** The witnesses of a `HoldersWorld` beside the Leases: a standby replica behind the same network, and a cloud whose calls fail. */

import type { Clock } from "../../src/clock.js";
import type { MachineStatesProps } from "../../src/health/machine-states.js";
import type { Probe } from "../../src/health/probe.js";
import { OwnReplica, type Replica } from "../../src/health/standby/own-replica.js";
import { probeRepeatedly } from "../../src/health/standby/repeated-probe.js";
import { answerToken, readQuestion } from "../../src/health/standby/signed-messages.js";
import { Signer } from "../../src/health/standby/signer.js";
import type { StandbyWitnessProps } from "../../src/health/standby/standby-witness.js";
import type { ProbeTarget } from "../../src/health/target.js";
import { silentLogger } from "../../src/logging.js";

export interface Surroundings {
  readonly clock: Clock;
  readonly random: () => number;
  /** From the node of the standby, which loses as many packets. */
  readonly probe: Probe;
  readonly targetOf: (key: string) => ProbeTarget | undefined;
  /** Share of the packets that are lost now. */
  readonly loss: () => number;
  readonly isOutage: () => boolean;
}

/** Shares of the calls to the cloud. */
const REFUSED = 0.2;
const UNANSWERED = 0.2;

/** A replica on another node, which answers as the operator does. */
export function standbyOf(world: Surroundings, onAsked: () => void): Omit<StandbyWitnessProps, "onAnswer"> {
  const { clock, random, loss, isOutage } = world;
  const own = { clock, identity: "leader", node: "o1", host: "10.1.0.1" };
  const self = new OwnReplica(own);
  const signer = new Signer();
  const standby: Replica = { identity: "standby", address: "10.1.0.2:1", node: "o2", publicKey: signer.publicKey };
  const answer = async (token: string): Promise<string> => {
    const question = readQuestion(token, self.signer.publicKey);
    const target = question && world.targetOf(question.target);
    const began = clock.monotonic();
    const result = target && (await probeRepeatedly(target, world));
    if (question === undefined || result === undefined || isOutage()) throw new Error("status 503");
    return answerToken(signer, { ...question, ageMs: clock.monotonic() - began, result });
  };
  return {
    ...{ clock, logger: silentLogger, self, leads: () => true },
    readStandby: () => (isOutage() ? Promise.reject(new Error("no answer")) : Promise.resolve(standby)),
    ask: (_address, token, signal) => {
      onAsked();
      return random() < loss() ? untilAborted(signal) : answer(token);
    },
  };
}

/** Every machine is on. */
export function cloudOf(
  { random }: Pick<Surroundings, "random">,
  onAsked: () => void,
): Pick<MachineStatesProps, "leads" | "readerOf"> {
  const machineState = ({ signal }: { readonly signal?: AbortSignal }) => {
    onAsked();
    const luck = random();
    if (luck < REFUSED) return Promise.reject(new Error("status 500"));
    return luck < REFUSED + UNANSWERED && signal !== undefined ? untilAborted(signal) : Promise.resolve("on" as const);
  };
  return { leads: () => true, readerOf: () => ({ machineState }) };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
