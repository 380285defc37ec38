/** The providers of one process, by its settings and its environment. */

import { RELEASE } from "cdk8s-flipop/api";
import type { Settings } from "../config.js";
import { Redactor } from "../logging.js";
import { needsNoToken } from "./external-dns/index.js";
import { PROVIDER_KINDS } from "./kinds.js";
import { auditLog } from "./layers/mutations.js";
import { ProviderRegistry, type RegistryOptions } from "./registry.js";

export const TOKEN_VARIABLES = PROVIDER_KINDS.map(({ tokenVariable }) => `${tokenVariable} or ${tokenVariable}_FILE`);

export class NoProviderError extends Error {
  override readonly name = "NoProviderError";
}

export interface CreateProvidersParts
  extends Pick<RegistryOptions, "env" | "logger" | "clock" | "random" | "metrics" | "fence"> {
  readonly settings: Pick<Settings, "dryRun" | "features">;
  /** Of the logger: learns the tokens. @default one of its own */
  readonly redactor?: Redactor;
}

/** @throws NoProviderError */
export function createProviders({
  settings,
  redactor = new Redactor(),
  ...parts
}: CreateProvidersParts): ProviderRegistry {
  const { dryRun, features } = settings;
  const registry = new ProviderRegistry({
    ...{ ...parts, kinds: PROVIDER_KINDS, redactor, dryRun },
    // A dry run logs plans; what it withholds from them repeats at each run.
    audit: auditLog(parts.logger, dryRun ? "debug" : "info"),
    userAgent: `flipop/${RELEASE}`,
  });
  if (registry.names.length > 0 || features.some(needsNoToken)) return registry;
  throw new NoProviderError(`no provider has a token: set ${TOKEN_VARIABLES.join(", or ")}`);
}
