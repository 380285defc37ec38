import { expect } from "chai";
import { describe, it } from "mocha";
import { drawSchedule } from "./schedule/draw.js";
import { SLOTS, type Step } from "./schedule/steps.js";

const MS = 95_000;
const SEEDS = Array.from({ length: 40 }, (_, seed) => seed * 977);

describe("the schedule of a storm", () => {
  it("is a function of the seed alone", () => {
    for (const seed of SEEDS) expect(drawSchedule(seed, MS)).to.deep.equal(drawSchedule(seed, MS));
    expect(drawSchedule(1, MS)).not.to.deep.equal(drawSchedule(2, MS));
  });

  it("begins alike however long it is to last", () => {
    const { steps } = drawSchedule(7, MS);
    const short = drawSchedule(7, MS / 2).steps;
    expect(steps.slice(0, short.length)).to.deep.equal(short);
  });

  it("has steps in the order of time, within the storm phase", () => {
    for (const seed of SEEDS) {
      const times = drawSchedule(seed, MS).steps.map(({ at }) => at);
      expect(times).to.deep.equal([...times].sort((a, b) => a - b));
      expect(Math.max(...times)).to.be.below(MS);
    }
  });

  it("has every kind of event, act and fault in some rounds", () => {
    const seen = new Set(SEEDS.flatMap((seed) => drawSchedule(seed, MS).steps.map(nameOf)));
    const acts = (kind: string) =>
      [...seen].filter((name) => name.startsWith(`${kind} `)).map((name) => name.split(" ")[1]);
    expect(acts("node")).to.have.members([
      ...["unready", "ready", "delete", "create", "replace", "cordon"],
      ...["uncordon", "taint", "untaint", "pressure", "regroup"],
      ...["die", "close", "hang", "silence", "heal"],
    ]);
    expect(acts("resource")).to.have.members([
      ...["create", "delete", "desired", "pause", "resume", "grace", "coolOff", "groups", "unlist", "list"],
    ]);
    expect(acts("operator")).to.have.members(["kill", "terminate", "stop"]);
    expect(acts("hand")).to.have.length(8);
    expect(acts("probe")).to.have.length(6);
    for (const kind of ["pod", "endpoint", "cloud", "mishap", "actions", "token", "quota", "server"]) {
      expect(acts(kind), kind).not.to.have.length(0);
    }
  });

  it("has health checks of both types on some resources of each kind, and resources without one", () => {
    const templates = SEEDS.flatMap((seed) => drawSchedule(seed, MS).templates);
    for (const kind of ["pool", "set", "routed"] as const) {
      const checks = templates.filter((template) => template.kind === kind).map(({ check }) => check?.type);
      expect(new Set(checks), kind).to.have.keys(["TCP", "HTTP", undefined]);
    }
    for (const seed of SEEDS) {
      const checked = drawSchedule(seed, MS).templates.filter(({ check }) => check !== undefined);
      expect(checked, `seed ${seed}`).not.to.have.length(0);
    }
  });

  it("never makes a node ready that is ready, nor creates one that is there", () => {
    for (const seed of SEEDS) {
      const state = Array.from({ length: SLOTS }, () => ({ exists: true, ready: true }));
      for (const step of drawSchedule(seed, MS).steps) if (step.kind === "node") follow(state, step);
    }
  });

  it("keeps hands off often enough to be no foreign writer", () => {
    for (const seed of SEEDS) {
      const edits = drawSchedule(seed, MS).steps.filter(
        (step) => step.kind === "hand" && ["move", "unassign", "addRecord", "removeRecord"].includes(step.act),
      );
      expect(edits.length).to.be.at.most(6);
    }
  });
});

function nameOf(step: Step): string {
  return `${step.kind} ${"act" in step ? step.act : ""}`;
}

function follow(state: { exists: boolean; ready: boolean }[], step: Extract<Step, { kind: "node" }>): void {
  const node = state[step.slot];
  if (node === undefined) throw new Error(`there is no slot ${step.slot}`);
  if (step.act === "create") expect(node.exists).to.equal(false);
  else expect(node.exists).to.equal(true);
  if (step.act === "ready") expect(node.ready).to.equal(false);
  if (step.act === "unready") expect(node.ready).to.equal(true);
  if (["create", "replace", "ready"].includes(step.act)) Object.assign(node, { exists: true, ready: true });
  if (step.act === "unready") node.ready = false;
  if (step.act === "delete") node.exists = false;
}
