/** From YAML to a scenario, or to all that is wrong with it. */

import { parseTenantLimits } from "cdk8s-flipop/api";
import { parseAllDocuments } from "yaml";
import { type Field, parseFields, Report, ScenarioError } from "./field.js";
import { readStep, type StepContext } from "./read-steps.js";
import {
  type Act,
  type CloudSetup,
  DEFAULT_LEASE_MS,
  type Manifest,
  type NodeGroup,
  type NodeRef,
  nodeNames,
  type OperatorSetup,
  type Scenario,
  type Step,
} from "./scenario.js";

export interface ScenarioSource {
  /** What messages call it: the file's name. */
  readonly name: string;
  readonly text: string;
  /** The text of a manifest file, by its path relative to the scenario's. Throws when it can't be read. */
  readonly readFile: (path: string) => string;
}

const DEFAULT_REGION = "nyc3";
const DEFAULT_VERSION = "v1.35.4";
const SHORTEST_LEASE_MS = 4_000;
const DEFAULT_ZONE = "example.com";
const DEFAULT_ADDRESS_LIMIT = 10;
const DOKS_POOL = "doks.digitalocean.com/node-pool";

/** Throws ScenarioError with all problems, each with its line, the value seen and the fix. */
export function readScenario(source: ScenarioSource): Scenario {
  const report = new Report();
  const top = parseFields(source.text, source.name, report);
  const scenario = report.attempt(() => readTop(top, source, report));
  report.finish();
  if (scenario === undefined) throw new ScenarioError([`${source.name}: it is empty: see docs/reference/scenario.md`]);
  return scenario;
}

function readTop(top: Field, source: ScenarioSource, report: Report): Scenario {
  const fields = top.fields(["title", "about", "speed", "nodes", "cloud", "operator", "acts"]);
  const nodes = present(
    top
      .of(fields, "nodes")
      .list()
      .map((group) => report.attempt(() => readGroup(group))),
  );
  if (nodes.length === 0) top.of(fields, "nodes").wrong("is missing: give at least one group of nodes", nodes);
  const manifests = (path: string) => parseManifests(source.readFile(path));
  const context: StepContext = { groups: nodes.map(({ name }) => name), manifests };
  const acts = top.of(fields, "acts").list();
  if (acts.length === 0) top.of(fields, "acts").wrong("is missing: give at least one act with steps", acts);
  const speed = top.of(fields, "speed");
  const scenario: Scenario = {
    title: report.attempt(() => top.of(fields, "title").text()) ?? "",
    about: report.attempt(() => top.of(fields, "about").text("")) ?? "",
    speed: speed.isAbsent ? undefined : report.attempt(() => speed.integer(1)),
    nodes,
    cloud: report.attempt(() => readCloud(top.of(fields, "cloud"))) ?? readCloud(top.of(new Map(), "cloud")),
    operator: report.attempt(() => readOperator(top.of(fields, "operator"))) ?? { issuerNamespaces: [] },
    acts: present(acts.map((act) => report.attempt(() => readAct(act, context, report)))),
  };
  checkNames(scenario, report);
  return scenario;
}

function readGroup(field: Field): NodeGroup {
  const fields = field.fields(["name", "count", "region", "labels", "kubeletVersion", "lease"]);
  const name = field.of(fields, "name").text();
  if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name)) {
    field.of(fields, "name").wrong(`"${name}" is no name of nodes: use small letters, digits and dashes`, name);
  }
  const lease = field.of(fields, "lease");
  const leaseMs = lease.duration(DEFAULT_LEASE_MS);
  if (leaseMs < SHORTEST_LEASE_MS) lease.wrong("a Lease lasts at least 4s: raise it", leaseMs);
  const labels = [...field.of(fields, "labels").fields()].map(([key, value]) => [key, value.text()]);
  return {
    name,
    count: field.of(fields, "count").integer(1),
    region: field.of(fields, "region").text(DEFAULT_REGION),
    labels: { [DOKS_POOL]: name, ...Object.fromEntries<string>(labels as [string, string][]) },
    kubeletVersion: field.of(fields, "kubeletVersion").text(DEFAULT_VERSION),
    leaseMs,
  };
}

function readCloud(field: Field): CloudSetup {
  const fields = field.fields(["zones", "zoneIds", "addresses", "addressLimit"]);
  const texts = (name: string) => textsOf(field.of(fields, name));
  const ids = [...field.of(fields, "zoneIds").fields()].map(([zone, id]) => [zone, id.text()] as const);
  const zones = fields.has("zones") ? texts("zones") : [DEFAULT_ZONE];
  for (const [zone] of ids) {
    if (!zones.includes(zone)) field.of(fields, "zoneIds").wrong(`there is no zone "${zone}": add it to zones`, zone);
  }
  return {
    zones,
    zoneIds: Object.fromEntries(ids),
    addresses: texts("addresses"),
    addressLimit: field.of(fields, "addressLimit").integer(0, DEFAULT_ADDRESS_LIMIT),
  };
}

function readOperator(field: Field): OperatorSetup {
  const fields = field.fields(["issuerNamespaces", "tenantLimits"]);
  const issuerNamespaces = textsOf(field.of(fields, "issuerNamespaces"));
  const limits = field.of(fields, "tenantLimits");
  if (limits.isAbsent) return { issuerNamespaces };
  const parsed = parseTenantLimits(JSON.stringify(limits.plain()));
  if (parsed.limits !== undefined) return { issuerNamespaces, tenantLimits: parsed.limits };
  return limits.wrong(parsed.problems.join("; "), { issuerNamespaces });
}

function textsOf(field: Field): readonly string[] {
  return field.list().map((item) => item.text());
}

function readAct(field: Field, context: StepContext, report: Report): Act {
  const fields = field.fields(["title", "about", "steps"]);
  const steps = field.of(fields, "steps").list();
  return {
    title: field.of(fields, "title").text(),
    about: field.of(fields, "about").text(""),
    steps: present(steps.map((step) => report.attempt(() => readStep(step, context)))),
  };
}

/** Names of nodes that there never are. Added and upgraded groups go on counting, so that any number is possible there. */
function checkNames({ nodes, acts }: Scenario, report: Report): void {
  const steps = acts.flatMap((act) => act.steps);
  const growing = steps.flatMap((step) => (step.do === "add" || step.do === "upgrade" ? [step.group] : []));
  const known = new Set(nodes.flatMap((group) => nodeNames(group)));
  for (const step of steps) {
    const ref = nodeOf(step);
    if (ref?.by !== "name" || known.has(ref.name)) continue;
    if (growing.includes(ref.name.replace(/-\d+$/, ""))) continue;
    const groups = nodes.map(({ name, count }) => (count === 1 ? `${name}-1` : `${name}-1 to ${name}-${count}`));
    report.problems.push(`${step.place}: ${step.do}: there is no node "${ref.name}": use ${groups.join(", ")}`);
  }
}

function nodeOf(step: Step): NodeRef | undefined {
  if ("node" in step) return step.node;
  return step.do === "move-address" ? step.to : undefined;
}

function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(error.message);
    const object = document.toJS() as Manifest | null;
    return object === null ? [] : [object];
  });
}

function present<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined);
}
