import { allProviders } from "../api/providers";

/** Error for a value that contains a token. It does not show the value, because logs may contain the error. */
export function tokenRefused(): string {
  const props = allProviders().map(({ prop }) => prop);
  const choice = [props.slice(0, -1).join(", "), ...props.slice(-1)].filter((text) => text !== "").join(" or ");
  return `the value looks like an API token (not shown here): put it into a Secret and use ${choice} with Credentials.fromSecretName(...)`;
}

/** Whether a text contains an API token of a provider. */
export function holdsToken(text: string): boolean {
  return allProviders().some(({ tokenForms }) => tokenForms.some((form) => tokenPattern(form).test(text)));
}

function tokenPattern(form: string | number): RegExp {
  if (typeof form === "string") return new RegExp(form);
  return new RegExp(`(?:^|[^\\w-])(?=[\\w-]*[a-z])(?=[\\w-]*[A-Z])(?=[\\w-]*\\d)[\\w-]{${form}}(?![\\w-])`);
}
