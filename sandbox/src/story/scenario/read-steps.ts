/** The steps that a scenario can have, by the name that it calls them. */

import type { Field } from "./field.js";
import { addressRef, nodeRef, objectName } from "./read-refs.js";
import {
  CALL_KINDS,
  CLOUDS,
  CRASH_MOMENTS,
  LOSABLE_CALLS,
  type Manifest,
  OUTAGE_ANSWERS,
  type Step,
  type StepKind,
} from "./scenario.js";

/** What steps may refer to. */
export interface StepContext {
  /** Names of node groups. */
  readonly groups: readonly string[];
  /** The objects of a manifest file, by its path as the scenario has it. Throws a text for people. */
  readonly manifests: (path: string) => readonly Manifest[];
}

type ReadStep = (field: Field, context: StepContext) => StepKind;

const MINUTE_MS = 60_000;
const SETTLE_MS = 10 * MINUTE_MS;
const REFUSE_MS = MINUTE_MS;
const BOOT_MS = 20_000;
const DOWN_MS = 5_000;
const RULE = /^(tcp|udp) \d+(-\d+)?$/;

const STEPS: Readonly<Record<string, ReadStep>> = {
  apply: (field, context) => ({ do: "apply", objects: objectsOf(field, context) }),
  patch: (field) => {
    const parts = field.fields(["object", "merge"]);
    const merge = Object.fromEntries(
      [...field.of(parts, "merge").fields()].map(([name, value]) => [name, value.plain()]),
    );
    return { do: "patch", object: objectName(field.of(parts, "object")), merge };
  },
  delete: (field) => ({ do: "delete", object: objectName(field) }),
  rollout: (field) => {
    const object = objectName(field);
    if (object.kind !== "Deployment") field.wrong(`${object.kind} has no rollout here: name a Deployment`, object);
    return { do: "rollout", object };
  },
  fail: (field) => ({ do: "fail", node: nodeRef(field) }),
  powerOff: (field) => ({ do: "power-off", node: nodeRef(field) }),
  recover: (field) => ({ do: "recover", node: nodeRef(field, true) }),
  cordon: (field) => ({ do: "cordon", node: nodeRef(field) }),
  uncordon: (field) => ({ do: "uncordon", node: nodeRef(field, true) }),
  drain: (field) => ({ do: "drain", node: nodeRef(field) }),
  unready: (field) => ({ do: "unready", node: nodeRef(field) }),
  ready: (field) => ({ do: "ready", node: nodeRef(field, true) }),
  remove: (field) => ({ do: "remove", node: nodeRef(field) }),
  add: (field, { groups }) => {
    const parts = field.fields(["group", "count"]);
    const count = field.of(parts, "count").integer(1, 1);
    return { do: "add", group: field.of(parts, "group").oneOf(groups), count };
  },
  upgrade: (field, { groups }) => {
    const parts = field.fields(["group", "to", "atOnce", "boot"]);
    return {
      do: "upgrade",
      group: field.of(parts, "group").oneOf(groups),
      to: version(field.of(parts, "to")),
      atOnce: field.of(parts, "atOnce").integer(1, 1),
      bootMs: field.of(parts, "boot").duration(BOOT_MS),
    };
  },
  outage: (field) => {
    const parts = field.fields(["cloud", "answer", "calls", "for"]);
    return {
      do: "outage",
      cloud: field.of(parts, "cloud").oneOf(CLOUDS),
      answer: field.of(parts, "answer").oneOf(OUTAGE_ANSWERS, "503"),
      calls: field.of(parts, "calls").oneOf(CALL_KINDS, "all"),
      ms: field.of(parts, "for").duration(),
    };
  },
  loseAnswer: (field) => {
    const parts = field.fields(["cloud", "call"]);
    const cloud = field.of(parts, "cloud").oneOf(CLOUDS, "digitalocean");
    const call = field.of(parts, "call").oneOf(LOSABLE_CALLS);
    if (cloud === "cloudflare" && call !== "records") {
      field.of(parts, "call").wrong(`Cloudflare has no call "${call}": use records`, call);
    }
    return { do: "lose-answer", cloud, call };
  },
  moveAddress: (field) => {
    const parts = field.fields(["address", "to"]);
    const to = field.of(parts, "to");
    return {
      do: "move-address",
      address: addressRef(field.of(parts, "address")),
      to: to.isAbsent ? undefined : nodeRef(to),
    };
  },
  editRecords: (field) => {
    const parts = field.fields(["cloud", "zone", "name", "add", "remove"]);
    const zone = field.of(parts, "zone").text();
    const name = field.of(parts, "name").text();
    if (name !== zone && !name.endsWith(`.${zone}`)) {
      field.of(parts, "name").wrong(`"${name}" is not in the zone "${zone}"`, name);
    }
    const cloud = field.of(parts, "cloud").oneOf(CLOUDS);
    return { do: "edit-records", cloud, zone, name, ...editOf(field, parts) };
  },
  editFirewall: (field) => {
    const parts = field.fields(["name", "add", "remove"]);
    const edit = editOf(field, parts);
    const wrong = [...edit.add, ...edit.remove].find((rule) => !RULE.test(rule));
    if (wrong !== undefined) field.wrong(`"${wrong}" is no rule: write tcp 8080, or udp 5060`, wrong);
    return { do: "edit-firewall", name: field.of(parts, "name").text(), ...edit };
  },
  wait: (field) => ({ do: "wait", ms: field.duration() }),
  settle: (field) => {
    const parts = field.fields(["within"]);
    return { do: "settle", withinMs: field.of(parts, "within").duration(SETTLE_MS) };
  },
  refused: (field) => {
    const parts = field.fields(["object", "reason", "within"]);
    return {
      do: "refused",
      object: objectName(field.of(parts, "object")),
      reason: field.of(parts, "reason").text(),
      withinMs: field.of(parts, "within").duration(REFUSE_MS),
    };
  },
  rest: (field) => ({ do: "rest", ms: field.duration() }),
  crash: (field) => {
    const parts = field.fields(["when", "down"]);
    const when = field.of(parts, "when").oneOf(CRASH_MOMENTS, "now");
    return { do: "crash", when, downMs: field.of(parts, "down").duration(DOWN_MS) };
  },
};

/** Names of all steps, in the order of the documentation. */
export const STEP_NAMES: readonly string[] = Object.keys(STEPS);

/** `fail: edge-1`, or `settle` for a step that needs no more. */
export function readStep(field: Field, context: StepContext): Step {
  const [name, value, ...more] = field.isMap ? [...field.fields()].flat() : [field.text(), undefined];
  const read = typeof name === "string" ? STEPS[name] : undefined;
  if (read === undefined || more.length > 0) {
    return field.fail(
      `a step has one name, here: ${JSON.stringify(field.plain())}; use one of ${STEP_NAMES.join(", ")}`,
    );
  }
  const content = typeof value === "object" ? value : field.of(new Map(), String(name));
  return { ...read(content, context), place: field.place };
}

/** What somebody adds and removes by hand. */
function editOf(field: Field, parts: ReadonlyMap<string, Field>) {
  const values = (part: string) =>
    field
      .of(parts, part)
      .list()
      .map((value) => value.text());
  return { add: values("add"), remove: values("remove") };
}

function version(field: Field): string {
  const text = field.text();
  return /^v\d+\.\d+\.\d+/.test(text) ? text : field.wrong(`"${text}" is no kubelet version: write v1.36.1`, text);
}

function objectsOf(field: Field, { manifests }: StepContext): readonly Manifest[] {
  return field.list().flatMap((item) => {
    if (item.isMap) return [manifest(item)];
    try {
      return manifests(item.text());
    } catch (error) {
      return item.wrong(error instanceof Error ? error.message : String(error), []);
    }
  });
}

function manifest(item: Field): Manifest {
  const fields = item.fields();
  const kind = item.of(fields, "kind").text();
  const apiVersion = item.of(fields, "apiVersion").text();
  const metadata = item.of(fields, "metadata");
  metadata.of(metadata.fields(), "name").text();
  return { ...(item.plain() as Manifest), apiVersion, kind };
}
