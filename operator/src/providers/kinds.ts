/** Every kind of provider that is built in. A new one is one more line here. */

import { cloudflare } from "./cloudflare/index.js";
import { digitalOcean } from "./digitalocean/index.js";
import type { ProviderKind } from "./registry.js";

export const PROVIDER_KINDS: readonly ProviderKind[] = [digitalOcean, cloudflare];
