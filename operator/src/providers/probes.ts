/** Reads that show whether a token is accepted and which scopes it has. They change nothing. For `flipop doctor`. */

interface Probe {
  /** Below the base URL. */
  readonly path: string;
  /** The scope, as the provider names it. */
  readonly scope: string;
}

export interface ProviderProbes {
  /** Base URL of the API, where no variable names one. */
  readonly baseUrl: string;
  readonly reads: readonly Probe[];
  /** Scopes that a read cannot show. */
  readonly unprobed: string;
  /** Where the account says how many addresses it may have: a path, and the fields in its answer. */
  readonly limits?: { readonly path: string; readonly fields: readonly string[]; readonly used: string };
}
