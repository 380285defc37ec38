import { setTimeout as delay } from "node:timers/promises";
import type { AllowRule } from "../../src/kubernetes/index.js";
import type { Answer, ApiClient } from "./api-client.js";

export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** An API server under the contract. */
export interface Target {
  readonly name: string;
  /** May do everything. */
  readonly admin: ApiClient;
  /** Forgets the past: lists and pages of the first revisions are no longer to be had. */
  compact(): Promise<void>;
  /** A client that may do what the rules allow and nothing else. */
  restricted(rules: readonly AllowRule[]): Promise<{ readonly client: ApiClient; readonly user: string }>;
}

/** How the cases get at the target, which is there only when they run. */
export type TargetSource = () => Target;

let names = 0;

/** A name that no other case uses, in this run or one before. */
export function uniqueName(prefix: string): string {
  names += 1;
  return `${prefix}-${process.pid.toString(36)}${Date.now().toString(36)}${names}`;
}

/** Creates a namespace for a group of cases; returns its name. */
export async function namespace({ admin }: Target): Promise<string> {
  const name = uniqueName("contract");
  ok(await admin.post("/api/v1/namespaces", { metadata: { name } }));
  return name;
}

/** The answer, when it is no refusal; setting up must not fail silently. */
export function ok(answer: Answer): Answer {
  if (answer.status < 300) return answer;
  throw new Error(`unexpected ${answer.status}: ${answer.text}`);
}

const PATIENCE_MS = 30_000;

/** Waits until a path answers with a status: for what a controller does in its own time. */
export async function becomes({ admin }: Target, path: string, status: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while ((await admin.get(path)).status !== status) {
    if (performance.now() > end) throw new Error(`${path} does not answer ${status} after ${PATIENCE_MS} ms`);
    await delay(20);
  }
}

/** Messages of the causes of a refusal. */
export function causes({ body }: Answer): readonly string[] {
  return (body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}
