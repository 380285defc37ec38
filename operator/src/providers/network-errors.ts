/** What the codes of Node's network errors mean for a request. */

/** Errors of the network that mean that nothing was sent. */
export const NOT_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the API's name does not resolve",
  EAI_AGAIN: "the resolver does not answer",
  EHOSTUNREACH: "there is no route to the API",
  ENETUNREACH: "there is no route to the API",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 10 s",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the API's certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the API's certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the API's certificate is not trusted",
  CERT_HAS_EXPIRED: "the API's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the API's certificate is for another name",
};
