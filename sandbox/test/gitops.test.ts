import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type CelInput, celEnv, isCelError, parse, plan } from "@bufbuild/cel";
import { ALL_KINDS, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type HealthAnswer, healthOrSkip, judgeHealth } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { parse as parseYaml } from "yaml";

const FOLDER = resolve(import.meta.dirname, "../../docs/how-to/gitops");
const KINDS = ALL_KINDS.map(({ kind }) => kind);

interface ConfigMap {
  readonly data: Readonly<Record<string, string>>;
}

const CHECKS = ["inProgress", "failed", "current"] as const;

interface FluxRule extends Readonly<Record<(typeof CHECKS)[number], string>> {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Kustomization {
  readonly spec: { readonly wait: boolean; readonly healthCheckExprs: readonly FluxRule[] };
}

function read<T>(name: string): T {
  return parseYaml(readFileSync(resolve(FOLDER, name), "utf8")) as T;
}

const scripts = read<ConfigMap>("argocd-cm.yaml").data;
const { spec: flux } = read<Kustomization>("flux-kustomization.yaml");

function scriptOf(kind: string): string {
  return scripts[`resource.customizations.health.flipop.digitalocean.com_${kind}`] ?? "";
}

type Status = { readonly [field: string]: unknown };

/** A status whose summary has this one True condition. */
function observed(type: "Ready" | "Reconciling" | "Stalled", reason = "Observed", generation = 2): Status {
  const conditions = ["Ready", "Reconciling", "Stalled", "Accepted"].map((each) => ({
    ...{ type: each, status: each === type || each === "Accepted" ? "True" : "False" },
    ...{ reason: each === type || each === "Ready" ? reason : "Observed", message: `${each} says ${reason}` },
    ...{ observedGeneration: generation, lastTransitionTime: "2026-01-01T10:02:11Z" },
  }));
  return { observedGeneration: generation, conditions };
}

interface Case {
  readonly what: string;
  readonly status: Status;
  readonly deleted?: true;
  readonly says: { readonly kstatus: HealthAnswer["kstatus"]; readonly argo: string; readonly flux: string };
}

const IN_PROGRESS = { kstatus: "InProgress", argo: "Progressing", flux: "inProgress" } as const;
const FAILED = { kstatus: "Failed", argo: "Degraded", flux: "failed" } as const;
const CURRENT = { kstatus: "Current", argo: "Healthy", flux: "current" } as const;

const CASES: readonly Case[] = [
  { what: "that the operator has not seen", status: { observedGeneration: 0 }, says: IN_PROGRESS },
  { what: "that serves", status: observed("Ready"), says: CURRENT },
  { what: "that is paused and serves", status: observed("Ready", "Paused"), says: CURRENT },
  { what: "on which the operator works", status: observed("Reconciling", "UnderWay"), says: IN_PROGRESS },
  { what: "that waits for a node", status: observed("Reconciling", "NoCandidate"), says: IN_PROGRESS },
  { what: "that needs a person", status: observed("Stalled", "QuotaExceeded"), says: FAILED },
  { what: "of a stopped operator", status: observed("Stalled", "Stopped"), says: FAILED },
  {
    what: "that is paused with fewer addresses",
    status: observed("Stalled", "Paused"),
    says: { ...FAILED, argo: "Suspended" },
  },
  { what: "that served before the last edit", status: observed("Ready", "Observed", 1), says: IN_PROGRESS },
  { what: "that failed before the last edit", status: observed("Stalled", "Invalid", 1), says: IN_PROGRESS },
];

function objectOf(
  kind: string,
  { status, deleted }: Pick<Case, "status" | "deleted">,
): { readonly [field: string]: unknown } {
  const deletion = deleted === undefined ? {} : { deletionTimestamp: "2026-01-01T10:02:11Z" };
  return { apiVersion: GROUP_VERSION, kind, metadata: { name: "web", generation: 2, ...deletion }, spec: {}, status };
}

/** As Flux does: the first expression that is true, in this order. */
function fluxSays(kind: string, object: { readonly [field: string]: unknown }): string {
  const rule = flux.healthCheckExprs.find((one) => one.kind === kind && one.apiVersion === GROUP_VERSION);
  const hit = CHECKS.find((check) => evaluate(rule?.[check] ?? "", object) === true);
  return hit ?? "inProgress";
}

function evaluate(expression: string, object: { readonly [field: string]: unknown }): unknown {
  const result = plan(celEnv(), parse(expression))(withIntegers(object) as Readonly<Record<string, CelInput>>);
  if (isCelError(result)) throw new Error(`${expression}: ${result.message}`);
  return result;
}

/** Integers of an object are integers in Go. */
function withIntegers(value: unknown): unknown {
  if (typeof value === "number") return BigInt(value);
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withIntegers(inner)]));
}

describe("the health checks of docs/how-to/gitops", () => {
  it("are there for every kind, and for no other", () => {
    expect(Object.keys(scripts)).to.have.members(
      KINDS.map((kind) => `resource.customizations.health.flipop.digitalocean.com_${kind}`),
    );
    expect(flux.healthCheckExprs.map(({ kind }) => kind)).to.have.members(KINDS);
    expect(flux.wait).to.equal(true);
  });

  for (const kind of KINDS) {
    for (const { what, says, ...one } of CASES) {
      it(`of Flux call a ${kind} ${what} ${says.flux}`, () => {
        expect(fluxSays(kind, objectOf(kind, one))).to.equal(says.flux);
      });
    }
  }

  it("have exactly one true expression of Flux for each status", () => {
    for (const { what, ...one } of CASES) {
      const object = objectOf("RoutedIP", one);
      const rule = flux.healthCheckExprs.find(({ kind }) => kind === "RoutedIP");
      expect(
        CHECKS.filter((check) => evaluate(rule?.[check] ?? "", object) === true),
        what,
      ).to.have.length(1);
    }
  });

  describe("by the tools themselves", () => {
    let answers: readonly HealthAnswer[];

    before(async function () {
      await healthOrSkip(this);
      const questions = KINDS.flatMap((kind) => {
        return CASES.map((one) => ({ object: objectOf(kind, one), script: scriptOf(kind) }));
      });
      answers = await judgeHealth(questions);
    });

    for (const [place, kind] of KINDS.entries()) {
      for (const [index, { what, says }] of CASES.entries()) {
        it(`call a ${kind} ${what} ${says.kstatus} (kstatus) and ${says.argo} (Argo CD)`, () => {
          const { kstatus, argo, message } = answers[place * CASES.length + index] ?? {};
          expect({ kstatus, argo }).to.deep.equal({ kstatus: says.kstatus, argo: says.argo });
          expect(message).to.match(/^(Ready says \w+|flipop has not observed the last change yet)$/);
        });
      }
    }

    it("call a deleted resource Terminating, whatever it says", async () => {
      const object = objectOf("FloatingIPPool", { status: observed("Ready"), deleted: true });
      const [answer] = await judgeHealth([{ object, script: scriptOf("FloatingIPPool") }]);
      expect(answer?.kstatus).to.equal("Terminating");
    });
  });
});
