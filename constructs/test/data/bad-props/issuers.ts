import { ApiObject, type Chart } from "cdk8s";
import { Construct } from "constructs";
import { Credentials, RoutedIPIssuer, type RoutedIPIssuerProps } from "../../../src";
import type { BadProps } from "./case";

/** An issuer from outside of the app. */
export function issuer(chart: Chart, namespace?: string) {
  return RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "do", namespace);
}

/** A Secret `do`. */
export function secret(chart: Chart, manifest: object = {}) {
  return new ApiObject(chart, "secret", { apiVersion: "v1", kind: "Secret", metadata: { name: "do" }, ...manifest });
}

function badIssuer(name: string, props: (chart: Chart) => RoutedIPIssuerProps, says: string): BadProps {
  return { name, make: (chart) => new RoutedIPIssuer(chart, "bad", props(chart)), says };
}

/** Bad props of a RoutedIPIssuer. */
export const BAD_ISSUERS: readonly BadProps[] = [
  badIssuer(
    "a Secret with capitals",
    () => ({ credentials: Credentials.fromSecretName("DO") }),
    'credentials.name: "DO" is not the name of an object: use lower-case letters, digits, "-" and ".", with a letter or digit at each end, such as "digitalocean"',
  ),
  badIssuer(
    "a region of white space",
    () => ({ region: " " }),
    `region: " " contains white space, unlike any region's name: give one such as "nyc3"`,
  ),
  badIssuer(
    "an empty key",
    () => ({ credentials: Credentials.fromSecretName("do", "") }),
    "credentials.key: is empty: give a value",
  ),
  badIssuer(
    "a ConfigMap for a Secret",
    (chart) => ({ credentials: Credentials.fromSecret(secret(chart, { kind: "ConfigMap" })) }),
    `credentials: v1 ConfigMap "test/secret" is not a Secret: give the construct of a Secret, or the Secret's name`,
  ),
  badIssuer(
    "a construct for a Secret",
    (chart) => ({ credentials: Credentials.fromSecret(new Construct(chart, "empty")) }),
    `credentials: construct "test/empty" has no Kubernetes object: give the construct of a Secret, or the Secret's name`,
  ),
  badIssuer(
    "a Secret of another namespace",
    (chart) => ({
      credentials: Credentials.fromSecret(secret(chart, { metadata: { name: "do", namespace: "other" } })),
    }),
    'credentials: Secret "do" is in namespace "other", but the RoutedIPIssuer can use only Secrets of its own namespace "web": put both into one namespace',
  ),
  badIssuer(
    "a Secret without the default entry",
    (chart) => ({
      credentials: Credentials.fromSecret(secret(chart, { stringData: { token: "t" }, data: { other: "" } })),
    }),
    'credentials: Secret "do" has no entry "DIGITALOCEAN_ACCESS_TOKEN": give the key of the token, one of other, token',
  ),
  badIssuer("an empty firewall name", () => ({ firewallName: "" }), "firewallName: is empty: give a value"),
];
