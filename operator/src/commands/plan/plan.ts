/** `flipop plan`: what the operator would do now. Runs the operator's own dry run until every plan is complete. */

import { readFileSync } from "node:fs";
import { pause } from "../../async.js";
import { systemClock } from "../../clock.js";
import { readSettings } from "../../config.js";
import { EXIT } from "../../exit.js";
import type { KubeClient } from "../../kube/client.js";
import { silentLogger } from "../../logging.js";
import { FIX } from "../../messages/message.js";
import { createOperator } from "../../operator.js";
import { NoProviderError } from "../../providers/create.js";
import { PLAN_POLL_MS, PLAN_SECONDS, SECOND_MS } from "../../timings.js";
import { withCluster } from "../cluster.js";
import { type CommandCall, CommandError, textOption } from "../command.js";
import { NO_CRDS } from "../list-objects.js";
import { changesOf, planText } from "../render/plan.js";
import { dataText } from "../render/table.js";
import { withProgress } from "../terminal.js";
import { CollectedPlans, type PlannedAction, type ResourcePlan } from "./collected-plans.js";
import { FrozenCluster, type Manifest, type ResourceId } from "./frozen-cluster.js";
import { readManifests } from "./manifests.js";
import { providersWithoutToken, variablesFor } from "./missing-tokens.js";

/** There is something to do. A command line that can't be understood ends with code 1, so that 2 means only this. */
const CHANGES = 2;

export function run(call: CommandCall): Promise<number> {
  return withCluster(call, async ({ client, namespace }) => {
    const file = textOption(call, "filename");
    const { own, ignored } = file === undefined ? { own: [], ignored: [] } : readManifests(file, namespace);
    if (ignored.length > 0) call.io.err(`flipop: the plan does not apply ${ignored.join(", ")}\n`);
    const { plans, stopped } = await withProgress(call.io, "planning", async () => {
      await checkServer(client, call.io.stop);
      return plannedThrough(call, client, own);
    });
    if (stopped !== undefined) {
      call.io.err(
        `flipop: the operator is stopped (${stopped || "no reason given"}): this is what it does after flipop resume\n`,
      );
    }
    const shown = file === undefined ? plans : plans.filter((plan) => own.some((one) => isOf(one, plan)));
    print(call, shown);
    return codeOf(call, shown);
  });
}

function isOf(manifest: Manifest, { kind, namespace, name }: ResourcePlan): boolean {
  return manifest.kind.kind === kind && manifest.namespace === namespace && manifest.name === name;
}

/** The operator's reads are tried again until the plan is late. @throws StatusError, NetworkError */
async function checkServer(client: KubeClient, signal: AbortSignal): Promise<void> {
  await client.request({ method: "GET", path: "/api/v1/nodes", query: { limit: 1 }, signal });
}

interface Planned {
  readonly plans: readonly ResourcePlan[];
  readonly stopped: string | undefined;
}

/** The operator does most things only after it has added its finalizer: a second plan shows them. */
async function plannedThrough(call: CommandCall, client: KubeClient, manifests: readonly Manifest[]): Promise<Planned> {
  const first = await planned(call, client, { manifests, finalized: [] });
  const finalized = first.plans.filter(({ actions }) => actions.some(isFinalizer));
  if (finalized.length === 0) return first;
  const { plans, stopped } = await planned(call, client, { manifests, finalized });
  return { plans: plans.map((plan) => withFinalizer(plan, finalized)), stopped };
}

function isFinalizer({ do: verb }: PlannedAction): boolean {
  return verb === "add-finalizer";
}

function withFinalizer(plan: ResourcePlan, finalized: readonly ResourcePlan[]): ResourcePlan {
  const before = finalized.find((one) => titleOf(one) === titleOf(plan));
  return before === undefined ? plan : { ...plan, actions: [...before.actions.filter(isFinalizer), ...plan.actions] };
}

interface Assumed {
  readonly manifests: readonly Manifest[];
  readonly finalized: readonly ResourceId[];
}

async function planned(call: CommandCall, client: KubeClient, { manifests, finalized }: Assumed): Promise<Planned> {
  const end = new AbortController();
  let refusal: Error | undefined;
  const refuse = (error: Error) => {
    refusal ??= error;
  };
  const cluster = new FrozenCluster(client, manifests, refuse, finalized);
  const plans = new CollectedPlans(() => systemClock.monotonic());
  const settings = settingsOf(call);
  const operator = operatorOf(call, { cluster, plans, settings });
  const running = operator.run(AbortSignal.any([end.signal, call.io.stop]));
  const deadline = systemClock.monotonic() + PLAN_SECONDS * SECOND_MS;
  try {
    while (!isComplete(cluster, plans, settings.features)) {
      if (refusal !== undefined) throw refusal;
      if (systemClock.monotonic() >= deadline) throw new CommandError(lateText(cluster, plans));
      if (!(await pause(systemClock, PLAN_POLL_MS, call.io.stop))) throw call.io.stop.reason;
    }
  } finally {
    end.abort(new Error("the plan is complete"));
    await running;
  }
  if (cluster.resources.length === 0 && cluster.absent.size === cluster.read.size) throw new CommandError(NO_CRDS);
  return { plans: plans.all(cluster.resources), stopped: cluster.stopped };
}

type PlanSettings = ReturnType<typeof settingsOf>;

/** The operator's variables count, so that a pod's environment gives the pod's plan; the options come before them. */
function settingsOf({ io, ...call }: CommandCall) {
  const given = {
    features: textOption(call, "features"),
    namespace: textOption(call, "operatorNamespace"),
    "watch-namespaces": textOption(call, "watchNamespaces"),
    "pod-namespaces": textOption(call, "podNamespaces"),
    "issuer-namespaces": textOption(call, "issuerNamespaces"),
    "job-namespaces": textOption(call, "jobNamespaces"),
    "tenant-limits": textOption(call, "tenantLimits"),
    "max-moves-per-minute": textOption(call, "maxMovesPerMinute"),
  };
  const off = { "metrics-bind-addr": "", "health-bind-addr": "", "leader-elect": "false", "dry-run": "true" };
  const readFile = (path: string) => readFileSync(path, "utf8");
  return readSettings({ flags: { ...given, ...off }, env: io.env, readFile });
}

function operatorOf(
  { io }: CommandCall,
  { cluster, plans, settings }: { cluster: FrozenCluster; plans: CollectedPlans; settings: PlanSettings },
) {
  try {
    return createOperator({ settings, transport: cluster, plans, logger: silentLogger, env: io.env });
  } catch (error) {
    if (error instanceof NoProviderError) throw new CommandError(`${error.message}, the same as for the operator`);
    throw error;
  }
}

/** Kinds of each feature whose lists a plan needs. */
const PLURALS: Readonly<Record<string, readonly string[]>> = {
  pools: ["floatingippools"],
  dns: ["nodednsrecordsets"],
  routedip: ["routedips", "routedipissuers", "clusterroutedipclasses"],
};

function isComplete(cluster: FrozenCluster, plans: CollectedPlans, features: readonly string[]): boolean {
  const needed = features.flatMap((feature) => PLURALS[feature] ?? []);
  return (
    needed.every((plural) => cluster.read.has(plural)) && plans.open(cluster.resources).length === 0 && plans.isQuiet()
  );
}

function lateText(cluster: FrozenCluster, plans: CollectedPlans): string {
  const open = plans.open(cluster.resources).map(titleOf);
  const failures = [...cluster.failures.values()];
  const seen =
    open.length === 0
      ? ""
      : `: ${open.slice(0, 3).join(", ")}${open.length > 3 ? `, and ${open.length - 3} more` : ""}`;
  const [first = "the providers may be slow: try again, and see flipop doctor"] = failures;
  const why = failures.length > 1 ? `${failures.length} lists failed, such as ${first}` : first;
  return `no complete plan after ${PLAN_SECONDS} s${seen}: ${why}`;
}

function titleOf({ kind, namespace, name }: ResourceId): string {
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}

function print({ io, ...call }: CommandCall, plans: readonly ResourcePlan[]): void {
  const format = textOption(call, "output");
  if (format === "json" || format === "yaml") io.out(dataText(plans, format));
  else io.out(planText(plans));
  const changes = plans.flatMap(changesOf).length;
  if (changes === 0 && incompleteBecause(plans).length === 0)
    io.err(`flipop: nothing to do: ${unchangedText(plans)}\n`);
  if (changes > 0 && io.terminal) io.err(`${changes} ${changes === 1 ? "change" : "changes"}\n`);
}

/** Without it, an empty output leaves open whether the command found the resources. */
function unchangedText({ length }: readonly ResourcePlan[]): string {
  if (length === 0) return "the cluster has no resources of flipop";
  return length === 1 ? "1 resource needs no change" : `${length} resources need no change`;
}

/** What is not known must not pass for "nothing to do". */
function codeOf({ io }: CommandCall, plans: readonly ResourcePlan[]): number {
  const reasons = incompleteBecause(plans);
  for (const reason of reasons) io.err(`flipop: the plan is incomplete, because ${reason}\n`);
  if (reasons.length > 0) return EXIT.failed;
  return plans.some((plan) => changesOf(plan).length > 0) ? CHANGES : EXIT.ok;
}

function incompleteBecause(plans: readonly ResourcePlan[]): readonly string[] {
  const unread = plans.filter((plan) => plan.incomplete).map(titleOf);
  const refused = plans.filter(isRefused).map(titleOf);
  return [
    ...(unread.length > 0 ? [`the provider of these was not read: ${unread.join(", ")}${tokensText(plans)}`] : []),
    ...(refused.length > 0 ? [`the operator refuses these: ${refused.join(", ")}`] : []),
  ];
}

/** The condition's remedy is for the operator, whose Secret this command does not read. */
function tokensText(plans: readonly ResourcePlan[]): string {
  const names = new Set(plans.flatMap(({ problems }) => problems.flatMap(providersWithoutToken)));
  if (names.size === 0) return "";
  return `${FIX}set the token in the environment of this command: ${variablesFor([...names]).join(", and ")}`;
}

function isRefused({ problems }: ResourcePlan): boolean {
  return problems.some((one) => {
    return one.type === "Accepted" && one.status === "False" && providersWithoutToken(one).length === 0;
  });
}
