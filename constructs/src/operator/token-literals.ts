/** Why a value is refused. It does not show the value: errors end up in logs. */
export const TOKEN_REFUSED =
  "the value looks like an API token (not shown here): put it into a Secret and use digitalOcean or cloudflare with Credentials.fromSecretName(...)";

/** DigitalOcean's personal, OAuth and refresh tokens. */
const DIGITALOCEAN_TOKEN = /do[opr]_v1_[0-9a-f]{16,}/i;
/** Cloudflare's tokens: 40 characters of mixed kind, so that a commit's hash is none; newer ones have a prefix. */
const CLOUDFLARE_TOKEN = /(?:^|[^\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{40}(?![\w-])/;
const CLOUDFLARE_PREFIXED_TOKEN = /cf[aku]t_[\w-]{20,}/;

/** Whether a text has an API token of a provider in it. */
export function holdsToken(text: string): boolean {
  return [DIGITALOCEAN_TOKEN, CLOUDFLARE_TOKEN, CLOUDFLARE_PREFIXED_TOKEN].some((pattern) => pattern.test(text));
}
