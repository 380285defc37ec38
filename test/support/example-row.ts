import { PROVIDERS, type ProviderFacts } from "cdk8s-flipop/api";

/** Step 1 of docs/how-to/add-a-provider.md. The import of this file adds the row. */
export const EXAMPLE: ProviderFacts = {
  name: "example",
  title: "Example",
  prop: "example",
  services: ["dns"],
  tokenVariable: "EXAMPLE_TOKEN",
  urlVariable: "EXAMPLE_API_URL",
  userAgentVariable: "EXAMPLE_USER_AGENT",
  tokenForms: ["ex_[0-9a-f]{20,}"],
  keywords: ["example"],
  ttl: { automatic: 0, least: 30, most: 300 },
};

Object.assign(PROVIDERS, { example: EXAMPLE });
