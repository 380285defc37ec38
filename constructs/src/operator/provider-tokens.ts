import { DEFAULT_SECRET } from "../api/config";
import { allProviders, type CredentialProp, type ProviderFacts } from "../api/providers";
import { Credentials } from "../credentials";
import type { FlipopOperatorProps } from "../operator-props";
import { checkObjectName, checkSecretKey } from "../private/checks/check-text";
import type { Draft, Site } from "../private/refusal-collector";

const MOUNT_PATH = "/var/run/secrets/flipop.digitalocean.com";

/** How the operator's container gets the tokens of the providers. */
export interface ProviderTokens {
  readonly variables: readonly object[];
  readonly mounts: readonly object[];
  readonly volumes: readonly object[];
}

/** The tokens as variables or as files, from their Secrets or from files that something else mounts. */
export function providerTokens(props: FlipopOperatorProps, draft: Draft): ProviderTokens {
  const tokens = allProviders().map((provider) => tokenOf(provider, props, draft.at(provider.prop)));
  return {
    variables: tokens.map(({ variable }) => variable),
    mounts: tokens.flatMap(({ mount }) => mount ?? []),
    volumes: tokens.flatMap(({ volume }) => volume ?? []),
  };
}

interface Token {
  readonly variable: object;
  readonly mount?: object;
  readonly volume?: object;
}

type Provider = ProviderFacts & { readonly prop: CredentialProp };

function tokenOf({ name, prop, tokenVariable }: Provider, props: FlipopOperatorProps, site: Site): Token {
  const from = props[prop] ?? Credentials.fromSecretName(DEFAULT_SECRET);
  const file = from._file(site);
  if (file !== undefined) return { variable: { name: `${tokenVariable}_FILE`, value: file } };
  const secret = from._write(site, tokenVariable);
  const key = secret.key ?? tokenVariable;
  checkObjectName(secret.name, site.below(".name"));
  checkSecretKey(key, site.below(".key"));
  if (props.tokenFiles) return fileOf(name, { tokenVariable, secretName: secret.name, key });
  // The reference is optional: without its Secret, only this provider is not available.
  const secretKeyRef = { name: secret.name, key, optional: true };
  return { variable: { name: tokenVariable, valueFrom: { secretKeyRef } } };
}

interface SecretEntry {
  readonly tokenVariable: string;
  readonly secretName: string;
  readonly key: string;
}

function fileOf(provider: string, { tokenVariable, secretName, key }: SecretEntry): Token {
  const volume = `${provider}-token`;
  const mountPath = `${MOUNT_PATH}/${provider}`;
  return {
    variable: { name: `${tokenVariable}_FILE`, value: `${mountPath}/token` },
    mount: { name: volume, mountPath, readOnly: true },
    volume: { name: volume, secret: { secretName, optional: true, items: [{ key, path: "token" }] } },
  };
}
