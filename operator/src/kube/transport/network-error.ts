import { DeadlineError } from "./deadline.js";

export type NetworkErrorKind = "refused" | "reset" | "unreachable" | "dns" | "tls" | "timeout" | "other";

/** No answer from the API server, or a broken one. */
export class NetworkError extends Error {
  constructor(
    readonly kind: NetworkErrorKind,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
    this.name = "NetworkError";
  }
}

interface Known {
  readonly kind: NetworkErrorKind;
  readonly hint: string;
}

const UP = "check that the API server is up and that this address is right";
const TRUST = "give its authority as certificate-authority(-data) of the cluster";

const KNOWN: Readonly<Record<string, Known>> = {
  ECONNREFUSED: { kind: "refused", hint: UP },
  ECONNRESET: { kind: "reset", hint: "the server or something in between closed the connection" },
  EPIPE: { kind: "reset", hint: "the server or something in between closed the connection" },
  UND_ERR_SOCKET: { kind: "reset", hint: "the server or something in between closed the connection" },
  UND_ERR_CONNECT_TIMEOUT: { kind: "timeout", hint: `${UP}, and that no firewall drops the packets` },
  ETIMEDOUT: { kind: "timeout", hint: `${UP}, and that no firewall drops the packets` },
  EHOSTUNREACH: { kind: "unreachable", hint: "check the route to it" },
  ENETUNREACH: { kind: "unreachable", hint: "check the route to it" },
  ENOTFOUND: { kind: "dns", hint: "the name does not resolve; check the server's name and the resolver" },
  EAI_AGAIN: { kind: "dns", hint: "the resolver does not answer" },
  SELF_SIGNED_CERT_IN_CHAIN: { kind: "tls", hint: TRUST },
  DEPTH_ZERO_SELF_SIGNED_CERT: { kind: "tls", hint: TRUST },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { kind: "tls", hint: TRUST },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { kind: "tls", hint: TRUST },
  CERT_HAS_EXPIRED: { kind: "tls", hint: "renew the server's certificate" },
  CERT_NOT_YET_VALID: { kind: "tls", hint: "check the clocks" },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    kind: "tls",
    hint: "the certificate is for other names; correct the server's URL or set tls-server-name",
  },
};

/** @param where `GET https://host:6443/api/v1/nodes (context "x" of file)` */
export function toNetworkError(error: unknown, where: string): Error {
  if (error instanceof NetworkError || error instanceof DeadlineError) return error;
  const code = codeOf(error);
  const known = KNOWN[code] ?? {
    kind: code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") ? "tls" : "other",
    hint: "",
  };
  const seen = error instanceof Error && error.message !== "" ? error.message : code;
  return new NetworkError(
    known.kind,
    [`${where}: ${seen}`, known.hint].filter((part) => part !== "").join("; "),
    error,
  );
}

/** The first code along the causes: undici and happy eyeballs wrap the system's error. */
function codeOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  const code = (error as { code?: unknown } | null | undefined)?.code;
  if (typeof code === "string" && (code in KNOWN || inner === undefined)) return code;
  if (inner !== undefined) return codeOf(inner);
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : "";
}
