/** Keeps secrets out of whatever text leaves the process. */

import { MAX_SECRETS } from "./bounds.js";

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
const MEMBER = new RegExp(`"(${KEYS.join("|")})"(\\s*:\\s*)(?:${STRING}|\\[(?:\\s*${STRING}\\s*,?)*\\])`, "gi");
/** A header or a query parameter inside of a text. Basic is an ordinary word: only a header, or a string of its own. */
const BEARER = /\b(bearer)\s+(?!tokens?\b)[\w\-.~+/]{4,}=*/gi;
const BASIC = /((?:authorization\s*[:=]\s*|")basic)\s+[\w\-+/]{4,}=*(?=$|["\s,;])/gi;
const HEADER = /\b(authorization|x-auth-token|cookie)(\s*[:=]\s*)(?!bearer\b|basic\b)[^\s",;\\]+/gi;
const QUERY = /([?&](?:access_token|token|api_key|apikey|password|secret)=)[^&\s"\\]+/gi;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----/gs;

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
    return known
      .replace(MEMBER, `"$1"$2"${MASK}"`)
      .replace(BEARER, `$1 ${MASK}`)
      .replace(BASIC, `$1 ${MASK}`)
      .replace(HEADER, `$1$2${MASK}`)
      .replace(QUERY, `$1${MASK}`)
      .replace(PEM, MASK);
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
