import { ConfigError } from "./cluster-config.js";
import type { Plugin, PluginCredential } from "./identity.js";

/** The part of client-node's `KubeConfig` used here. */
interface PluginRunner {
  applyToHTTPSOptions(options: HttpsOptions): Promise<void>;
}

interface HttpsOptions {
  headers?: Record<string, string>;
  cert?: string | Buffer;
  key?: string | Buffer;
}

/**
 * Exec plugins, OIDC and cloud auth providers through `@kubernetes/client-node`: imported on first use only, since
 * loading it costs 0.8 s and 70 MB.
 */
export function kubeconfigPlugin(kubeconfig: string, context: string): Plugin {
  let runner: PluginRunner | undefined;
  return async (renew) => {
    // Its token cache knows expiry only, not 401; a new instance has an empty cache.
    if (renew || runner === undefined) runner = await load(kubeconfig, context);
    const options: HttpsOptions = { headers: {} };
    try {
      await runner.applyToHTTPSOptions(options);
    } catch (error) {
      throw new ConfigError(
        `context "${context}": its exec plugin or auth provider failed; run "kubectl --context ${context} get nodes" to see it alone`,
        { cause: error },
      );
    }
    return credentialOf(options);
  };
}

async function load(kubeconfig: string, context: string): Promise<PluginRunner> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const loaded = new KubeConfig();
  loaded.loadFromString(kubeconfig);
  loaded.setCurrentContext(context);
  return loaded;
}

function credentialOf({ headers, cert, key }: HttpsOptions): PluginCredential {
  return {
    authorization: headers?.["Authorization"] ?? headers?.["authorization"],
    cert: cert?.toString(),
    key: key?.toString(),
  };
}
