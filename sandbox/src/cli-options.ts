/** What the sandbox's command line asks for. */

/** The APIs that the sandbox simulates. */
export const SANDBOX_APIS = ["kubernetes", "digitalocean", "cloudflare"] as const;
export type SandboxApi = (typeof SANDBOX_APIS)[number];

/** Options of `flipop-sandbox`. */
export interface SandboxOptions {
  /** Starts this API alone; absent: all of them. */
  readonly only?: SandboxApi;
  /** Port of the Kubernetes API, or of the one that `only` names; 0: any free one. */
  readonly port: number;
  /** File that the kubeconfig is written to; absent: one in a temporary folder. */
  readonly kubeconfig?: string;
  /** File of the story to play; absent: the one that the program carries. */
  readonly scenario?: string;
  /** Story seconds in a real one; absent: the scenario's, or the usual. */
  readonly speed?: number;
  /** Ends with the story, or as soon as the one API is up. */
  readonly once: boolean;
  /** Goes on after the story until a signal, also without a terminal. */
  readonly keep: boolean;
}
