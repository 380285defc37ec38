/** What the operator refuses of settings beyond the form of each: the construct library refuses it at synthesis. */

import { LEAST_DRIFT_SECONDS } from "./config";
import { allProviders } from "./providers";

/** Seconds of leader election. */
export interface ElectionTimes {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** client-go has the same rules: a leader must notice that it lost the Lease before another may take it. */
export function electionProblem({ leaseDuration, renewDeadline, retryPeriod }: ElectionTimes): string | undefined {
  if (leaseDuration > renewDeadline && renewDeadline > retryPeriod) return undefined;
  return `--leader-elect-lease-duration ${leaseDuration}, --leader-elect-renew-deadline ${renewDeadline} and --leader-elect-retry-period ${retryPeriod}: each must be greater than the next`;
}

/** Why the operator refuses a drift interval, in seconds. */
export function driftProblem(driftInterval: number): string | undefined {
  if (driftInterval >= LEAST_DRIFT_SECONDS) return undefined;
  return `--drift-interval ${driftInterval}: each record set is read that often, which the provider's limits do not allow: use at least ${LEAST_DRIFT_SECONDS}`;
}

/** The variables with the URL of a proxy. */
export const PROXY_VARIABLES: readonly string[] = ["HTTPS_PROXY", "HTTP_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** Why the value of a variable is no URL; undefined if it is one, or if the variable needs none. It shows no password. */
export function urlProblem(name: string, value: string): string | undefined {
  const isProxy = PROXY_VARIABLES.includes(name);
  if (!isProxy && !allProviders().some(({ urlVariable }) => urlVariable === name)) return undefined;
  const url = value.trim();
  const full = isProxy ? withScheme(url) : url;
  if (full === "" || isHttpUrl(full)) return undefined;
  const shown = full.replace(/\/\/[^/@]*@/, "//***@");
  return `"${shown}" is not an http or https URL: correct it, as in https://example.com, or unset it`;
}

/** A proxy may be given as `host:port`. */
export function withScheme(proxy: string): string {
  return proxy === "" || proxy.includes("://") ? proxy : `http://${proxy}`;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}
