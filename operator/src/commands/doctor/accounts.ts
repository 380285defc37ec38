/** Tokens of the environment: whether their providers accept them, which scopes they show, and how full the account is. */

import { readFileSync } from "node:fs";
import { allProviders, type ProviderFacts } from "cdk8s-flipop/api";
import { errorText } from "../../logging.js";
import { Connections } from "../../providers/http.js";
import { PROVIDER_KINDS } from "../../providers/kinds.js";
import type { ProviderProbes } from "../../providers/probes.js";
import { CLI_CALL_SECONDS, SECOND_MS } from "../../timings.js";
import type { CommandIo } from "../command.js";
import { type Finding, ok, problem, unknown, warning } from "./finding.js";

type Env = Readonly<Record<string, string | undefined>>;
type Surroundings = Pick<CommandIo, "env" | "stop">;

/** One finding or more for each provider. */
export async function accountFindings({ env, stop }: Surroundings): Promise<readonly Finding[]> {
  const findings = await Promise.all(allProviders().map((provider) => findingsOf(provider, { env, stop })));
  return findings.flat();
}

interface Account {
  readonly provider: ProviderFacts;
  readonly title: string;
  readonly probes: ProviderProbes;
  readonly connections: Connections;
  readonly base: string;
  readonly token: string;
  readonly stop: AbortSignal;
}

async function findingsOf(provider: ProviderFacts, { env, stop }: Surroundings): Promise<readonly Finding[]> {
  const { name, title, tokenVariable, urlVariable } = provider;
  const check = `token of ${title}`;
  const probes = PROVIDER_KINDS.find((kind) => kind.name === name)?.probes;
  let token: string | undefined;
  try {
    token = tokenOf(tokenVariable, env);
  } catch (error) {
    return [problem(check, `its file can't be read: ${errorText(error)}`, `correct ${tokenVariable}_FILE`)];
  }
  if (probes === undefined || token === undefined) {
    const remedy = `set ${tokenVariable} or ${tokenVariable}_FILE for doctor, too`;
    return [unknown(check, "there is none in the environment of doctor", remedy)];
  }
  const base = (env[urlVariable]?.trim() || probes.baseUrl).replace(/\/+$/, "");
  try {
    return await answersOf({ provider, title, probes, base, token, stop }, env);
  } catch (error) {
    stop.throwIfAborted();
    const remedy = `check that doctor can reach ${base}, and ${urlVariable}`;
    return [problem(check, `the provider does not answer: ${errorText(error)}`, remedy)];
  }
}

async function answersOf(of: Omit<Account, "connections">, env: Env): Promise<readonly Finding[]> {
  const connections = new Connections(of.base, env);
  const account: Account = { ...of, connections };
  try {
    return [await tokenFinding(account, of.provider.tokenVariable), ...(await quotaFindings(account))];
  } finally {
    await connections.close();
  }
}

function tokenOf(variable: string, env: Env): string | undefined {
  const file = env[`${variable}_FILE`]?.trim();
  return env[variable]?.trim() || (file ? readFileSync(file, "utf8").trim() : undefined);
}

async function tokenFinding(account: Account, variable: string): Promise<Finding> {
  const { title, probes } = account;
  const check = `token of ${title}`;
  const answers = await Promise.all(
    probes.reads.map(async ({ path, scope }) => ({ scope, ...(await get(account, path)) })),
  );
  if (answers.some(({ status }) => status === 401)) {
    return problem(check, "the provider does not accept it (401)", `replace the value of ${variable}`);
  }
  const refused = answers.filter(({ status }) => status === 403).map(({ scope }) => scope);
  if (refused.length > 0) return problem(check, `it lacks ${refused.join(", ")}`, "give the token these scopes");
  const failed = answers.find(({ status }) => status < 200 || status > 299);
  if (failed !== undefined) return unknown(check, `the provider answers ${failed.status}`, "try again later");
  return ok(check, `accepted, has ${answers.map(({ scope }) => scope).join(", ")}; not checked: ${probes.unprobed}`);
}

async function quotaFindings(account: Account): Promise<readonly Finding[]> {
  const { provider, probes } = account;
  const { limits } = probes;
  if (limits === undefined) return [];
  const check = `quota of ${account.title}`;
  const answers = await Promise.all([limits.path, limits.used].map((path) => get(account, path)));
  const failed = answers.find(({ status }) => status < 200 || status > 299);
  const usual =
    provider.addressQuota === undefined ? "" : `; the limit is ${provider.addressQuota} addresses by default`;
  if (failed !== undefined) {
    return [
      unknown(check, `the provider answers ${failed.status} to ${failed.path}${usual}`, remedyOf(account, failed)),
    ];
  }
  const [limit, used] = [numberAt(answers[0]?.body, limits.fields), numberAt(answers[1]?.body, ["meta", "total"])];
  if (limit === undefined || used === undefined) {
    const remedy = `check that ${provider.urlVariable} leads to the API of ${account.title}`;
    return [unknown(check, `the answers do not show it${usual}`, remedy)];
  }
  const seen = `${used} of ${limit} addresses are used`;
  if (used < limit) return [ok(check, seen)];
  return [
    warning(check, seen, "release addresses (flipop status -o wide shows those in use), or ask the provider for more"),
  ];
}

/** Only a refusal has to do with the token: the API may be busy or broken. */
function remedyOf({ provider, probes }: Account, { status, path }: Answered): string {
  if (status === 401) return `replace the value of ${provider.tokenVariable}`;
  if (status !== 403) return "try again later";
  return `give the token the scope ${probes.reads.find((read) => read.path === path)?.scope ?? `to read ${path}`}`;
}

interface Answered {
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

async function get({ connections, base, token, stop }: Account, path: string): Promise<Answered> {
  const { status, text } = await connections.send({
    method: "GET",
    url: `${base}${path}`,
    headers: { authorization: `Bearer ${token}`, accept: "application/json" },
    signal: AbortSignal.any([stop, AbortSignal.timeout(CLI_CALL_SECONDS * SECOND_MS)]),
  });
  return { path, status, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numberAt(value: unknown, path: readonly string[]): number | undefined {
  let at: unknown = value;
  for (const key of path) at = (at as Readonly<Record<string, unknown>> | undefined | null)?.[key];
  return typeof at === "number" ? at : undefined;
}
