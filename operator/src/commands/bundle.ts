/** `flipop bundle`: what an issue report needs, redacted, in one folder. Reads no Secret. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ALL_KINDS, Annotation, API_GROUP, allProviders, DEFAULT_NAMESPACE, LEASE_NAME } from "cdk8s-flipop/api";
import { buildFacts } from "../build.js";
import { EXIT } from "../exit.js";
import { type KubeClient, StatusError } from "../kube/client.js";
import { errorText, Redactor } from "../logging.js";
import { BUNDLE_LOG_BYTES, BUNDLE_LOG_LINES } from "../timings.js";
import { withCluster } from "./cluster.js";
import { type CommandCall, CommandError, textOption } from "./command.js";
import { findingsOf, questionOf } from "./doctor/doctor.js";
import { kindPath, listAll, type OwnObject } from "./list-objects.js";
import { withProgress } from "./terminal.js";

/** Name and content of a file; a part that can't be read has a text that says why. */
interface Part {
  readonly name: string;
  readonly text: string;
  /** Absent: it was read. */
  readonly error?: unknown;
}

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const stamp = new Date(io.now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const folder = resolve(call.args[0] ?? `flipop-bundle-${stamp}`);
  checkEmpty(folder);
  const parts = await withProgress(io, "collecting", () => withCluster(call, ({ client }) => collect(call, client)));
  const [first, ...others] = parts.filter(({ error }) => error !== undefined);
  if (first !== undefined && others.length + 1 === parts.length) throw first.error;
  write(folder, parts, redactorFor(io.env));
  io.out(`${folder}\n`);
  const unread = [first ?? [], ...others].flat();
  if (unread.length > 0) io.err(`flipop: these files only say why they lack the content: ${namesOf(unread)}\n`);
  io.err(`flipop: read the files before you publish them: tar czf ${folder}.tar.gz ${folder}\n`);
  return unread.some(({ error }) => !isRefusal(error)) ? EXIT.failed : EXIT.ok;
}

function namesOf(parts: readonly Part[]): string {
  return parts.map(({ name }) => name).join(", ");
}

/** The user may not read it, or the cluster does not have it: a bundle does without. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.code < 500;
}

/** @throws CommandError if the folder holds something: a bundle overwrites nothing, and makes no folder around its own */
function checkEmpty(folder: string): void {
  const around = dirname(folder);
  if (!existsSync(around)) throw new CommandError(`${around} does not exist: create it, or name another folder`);
  if (existsSync(folder) && filesIn(folder).length > 0) {
    throw new CommandError(`${folder} is not empty: name another folder`);
  }
}

/** @throws CommandError */
function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new CommandError(`${folder} can't be read: ${errorText(error)}`);
  }
}

/** @throws CommandError */
function write(folder: string, parts: readonly Part[], redactor: Redactor): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of parts) writeFileSync(join(folder, name), redactor.scrub(text), { mode: 0o600 });
  } catch (error) {
    throw new CommandError(`${folder} can't be written: ${errorText(error)}`);
  }
}

/** Knows the tokens of the environment, too. */
function redactorFor(env: CommandCall["io"]["env"]): Redactor {
  const redactor = new Redactor();
  for (const { tokenVariable } of allProviders()) redactor.add(env[tokenVariable] ?? "");
  return redactor;
}

async function collect(call: CommandCall, client: KubeClient): Promise<readonly Part[]> {
  const namespace = textOption(call, "namespace") ?? DEFAULT_NAMESPACE;
  const signal = call.io.stop;
  const list = (path: string) => listAll<OwnObject>(client, { path }, signal);
  const get = (path: string) => client.request<unknown>({ method: "GET", path });
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${LEASE_NAME}`;
  const found = await Promise.all([
    part("versions", async () => ({ command: buildFacts(), server: await get("/version") })),
    ...ALL_KINDS.map((kind) => part(kind.plural, async () => (await list(kindPath(kind))).map(shareable))),
    part("events", async () => (await list("/apis/events.k8s.io/v1/events")).filter(isOurs)),
    part("lease", () => get(lease)),
    part("doctor", () => findingsOf(call, questionOf(call), call.options["self"] === true)),
  ]);
  const logs = await logsOf(client, namespace, signal);
  signal.throwIfAborted();
  return [...found, ...logs];
}

async function part(name: string, read: () => Promise<unknown>): Promise<Part> {
  try {
    return { name: `${name}.json`, text: `${JSON.stringify(await read(), undefined, 2)}\n` };
  } catch (error) {
    return notReadable(`${name}.txt`, error);
  }
}

function notReadable(name: string, error: unknown): Part {
  return { name, text: `not readable: ${errorText(error)}\n`, error };
}

function isOurs(event: OwnObject & { readonly regarding?: { readonly apiVersion?: string } }): boolean {
  return event.regarding?.apiVersion?.startsWith(`${API_GROUP}/`) === true;
}

/** Without values of variables, which may be credentials of Jobs, and without copies of the whole object. */
function shareable(object: OwnObject): unknown {
  const kept = Object.entries(object.metadata.annotations ?? {}).filter(([name]) => OWN_ANNOTATIONS.has(name));
  const { managedFields: _managed, ...metadata } = object.metadata as OwnObject["metadata"] & Record<string, unknown>;
  return withoutValues({ ...object, metadata: { ...metadata, annotations: Object.fromEntries(kept) } });
}

const OWN_ANNOTATIONS: ReadonlySet<string> = new Set(Object.values(Annotation));

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      return [name, name === "env" && Array.isArray(inner) ? inner.map(withoutValue) : withoutValues(inner)];
    }),
  );
}

function withoutValue(variable: unknown): unknown {
  const { value, ...others } = variable as Readonly<Record<string, unknown>>;
  return value === undefined ? others : { ...others, value: "[redacted]" };
}

/** The last lines of each pod of the operator. A server may name a pod as it likes: no name leads to another folder. */
async function logsOf(client: KubeClient, namespace: string, signal: AbortSignal): Promise<readonly Part[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  try {
    const pods = await listAll<OwnObject>(client, { path, labelSelector: "app.kubernetes.io/name=flipop" }, signal);
    return await Promise.all(
      pods.map(({ metadata }) => logOf(client, `${path}/${encodeURIComponent(metadata.name)}`, signal)),
    );
  } catch (error) {
    return [notReadable("pods.txt", error)];
  }
}

async function logOf(client: KubeClient, pod: string, signal: AbortSignal): Promise<Part> {
  const name = `${basename(pod)}.log`;
  const chunks: Buffer[] = [];
  try {
    const query = { tailLines: BUNDLE_LOG_LINES, limitBytes: BUNDLE_LOG_BYTES, timestamps: true };
    for await (const chunk of await client.open({ method: "GET", path: `${pod}/log`, query, signal }))
      chunks.push(chunk);
    return { name, text: Buffer.concat(chunks).toString("utf8") };
  } catch (error) {
    return notReadable(name, error);
  }
}
