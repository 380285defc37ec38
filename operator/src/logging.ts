/** Structured logs: text on a terminal, JSON elsewhere. Nothing leaves unredacted. */

import { pino, stdSerializers } from "pino";
import { prettyFactory } from "pino-pretty";
import type { Clock } from "./clock.js";
import { cutAtWord, printable, printableJson } from "./printable.js";
import { MAX_SECRETS } from "./timings.js";

/** Messages are constant, data is in fields; an Error goes into the field `error`. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger that adds these fields to each line. */
  child(fields: object): Logger;
}

const ignore = () => undefined;

/** Says nothing: for tests, and where a logger is optional. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};

/** The text of anything thrown, with its causes, for a log field or a condition. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message === "" ? error.name : error.message;
  if (error.cause === undefined) return own;
  const cause = errorText(error.cause);
  return own.includes(cause) ? own : `${own}: ${cause}`;
}

/** Shorter ones would blacken ordinary words. */
const MIN_SECRET_LENGTH = 4;
const MASK = "[redacted]";

const KEYS = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-auth-token",
  "token",
  "access_token",
  "accessToken",
  "refresh_token",
  "id_token",
  "bearerToken",
  "password",
  "secret",
  "client_secret",
  "clientSecret",
  "apiKey",
  "api_key",
  "apiToken",
  "api_token",
  "privateKey",
  "client-key-data",
];

/** A member of a JSON object whose value is a string or a list of strings. */
const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const MEMBER = new RegExp(`"(${KEYS.join("|")})"(\\s*:\\s*)(?:${STRING}|\\[\\s*(?:${STRING}[\\s,]*)*\\])`, "gi");
/** A header or a query parameter inside of a text. Basic is an ordinary word: only a header, or a string of its own. */
const BEARER = /\b(bearer)\s+(?!tokens?\b)[\w\-.~+/]{4,}=*/gi;
const BASIC = /((?:authorization\s*[:=]\s*|")basic)\s+[\w\-+/]{4,}=*(?=$|["\s,;])/gi;
const HEADER = /\b(authorization|x-auth-token|cookie)(\s*[:=]\s*)(?!bearer\b|basic\b)[^\s",;\\]+/gi;
const QUERY = /([?&](?:access_token|token|api_key|apikey|password|secret)=)[^&\s"\\]+/gi;
/** A termination message may be cut off within the key. */
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="|$))/g;
/** Tokens of clouds, by their shape: those of Jobs belong to others, so that they are registered nowhere. */
const SHAPES = [
  /\bdo[opr]_v1_[a-f0-9]{8,}/gi,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b(?:ghp|gho|ghs|github_pat|glpat|xox[abp])[-_][\w-]{16,}/g,
  // Bounded where it may start inside of a word: each start would read the rest of a long one.
  /(?:(?<![\w-])eyJ[\w-]{8,}|\beyJ[\w-]{8,1000})\.eyJ[\w-]{8,}\.[\w-]+/g,
];
/** AWS keys as a shell or an SDK prints them. */
const AWS = /\b(aws_?(?:secret_?access_?key|session_?token)["']?\s*[:=]\s*["']?)[\w/+=]{16,}/gi;

/** A variable of a shell, a line of a kubeconfig, a key of a name server. Their names alone are no secrets. */
const VARIABLE = /\b((?:[A-Z0-9]+_)*(?:TOKEN|SECRET|PASSWORD|API_KEY|PRIVATE_KEY)=\\?["']?)[\w\-./+=]{8,}/g;
const YAML_LINE = /((?:^|\s|\\n)(?:token|password|client-key-data|tsigSecret):\s+\\?["']?)[\w\-./+=]{16,}/gm;
const TSIG = /(\bsecret\s+\\?")[\w+/=]{8,}(?=\\?"\s*;)/g;

export class Redactor {
  /** Each form of each secret, longest first, so that no part of a longer one stays. */
  private forms: readonly string[] = [];
  private readonly secrets = new Set<string>();

  /** Registers a secret: from now on it appears nowhere, whatever its encoding. Shorter ones than 4 are ignored. */
  add(secret: string): void {
    const text = secret.trim();
    if (text.length < MIN_SECRET_LENGTH || this.secrets.has(text)) return;
    this.secrets.add(text);
    for (const oldest of this.secrets) {
      if (this.secrets.size <= MAX_SECRETS) break;
      this.secrets.delete(oldest);
    }
    this.forms = [...new Set([...this.secrets].flatMap(formsOf))].sort((a, b) => b.length - a.length);
  }

  /** The text without registered secrets, and without what looks like a credential. */
  scrub(text: string): string {
    const known = this.forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
    return SHAPES.reduce((rest, shape) => rest.replace(shape, MASK), known)
      .replace(MEMBER, `"$1"$2"${MASK}"`)
      .replace(BEARER, `$1 ${MASK}`)
      .replace(BASIC, `$1 ${MASK}`)
      .replace(HEADER, `$1$2${MASK}`)
      .replace(QUERY, `$1${MASK}`)
      .replace(PEM, MASK)
      .replace(AWS, `$1${MASK}`)
      .replace(VARIABLE, `$1${MASK}`)
      .replace(YAML_LINE, `$1${MASK}`)
      .replace(TSIG, `$1${MASK}`);
  }
}

/** As it is, in a JSON string, in a URL, in Base64. */
function formsOf(secret: string): readonly string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
  ];
}

type LogFormat = "text" | "json";

/** Where lines go; `process.stdout` fits. */
interface LogOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface LoggerOptions {
  readonly clock: Pick<Clock, "now">;
  readonly redactor: Redactor;
  /** @default process.stdout */
  readonly output?: LogOutput;
  /** @default text on a terminal, else json */
  readonly format?: LogFormat;
  /** Also lines of level debug. @default false */
  readonly debug?: boolean;
}

export function createLogger({ clock, redactor, output = process.stdout, format, debug }: LoggerOptions): Logger {
  const text = (format ?? (output.isTTY === true ? "text" : "json")) === "text";
  const errorFields = debug === true ? stdSerializers.err : withoutStack;
  const shortened = shortener(redactor);
  const render = text ? prettyLines(output.isTTY === true) : printable;
  return pino(
    {
      level: debug === true ? "debug" : "info",
      // pid and hostname say nothing in a container; the pod's name is in the log's own envelope.
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: shortened },
      serializers: {
        error: (error: unknown) => (error instanceof Error ? shortened({ ...errorFields(error) }) : error),
        err: stdSerializers.err,
      },
    },
    // The whole line is scrubbed, so that no field, message or stack is forgotten.
    { write: (line: string) => void output.write(render(redactor.scrub(line))) },
  );
}

function prettyLines(colorize: boolean): (line: string) => string {
  const pretty = prettyFactory({ colorize, singleLine: true });
  return (line) => pretty(printableJson(line));
}

/** Of one text of a line, such as the rules of a firewall or an answer of a server. */
const LONGEST_TEXT = 8_192;

/** Fields can refer to themselves. */
const DEEPEST = 5;

/** Cuts texts that are longer than that, without secrets: nothing recognizes the part of one that a cut leaves. */
function shortener(redactor: Redactor) {
  const shortened = (value: unknown, depth = 0): unknown => {
    if (typeof value === "string") return value.length <= LONGEST_TEXT ? value : cut(redactor.scrub(value));
    if (depth > DEEPEST) return value;
    if (Array.isArray(value)) return value.map((entry) => shortened(entry, depth + 1));
    if (!isPlain(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shortened(field, depth + 1)]));
  };
  return (fields: object) => shortened(fields) as Record<string, unknown>;
}

/** Not an error or a date: pino writes these. */
function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${cutAtWord(text, LONGEST_TEXT)}... (${text.length} characters)`;
}

/** Errors that servers cause: their message says all, and the stack would only show where it was read. */
const FORESEEN = ["StatusError", "NetworkError", "DeadlineError", "ProviderError"];

function withoutStack(error: Error): object {
  const whole = stdSerializers.err(error);
  if (!FORESEEN.includes(error.name)) return whole;
  const { stack: _, props: __, ...rest } = { ...whole };
  return rest;
}
