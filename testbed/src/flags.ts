/** Files and addresses for the flags of the programs. */
export interface FlagFacts {
  readonly etcdDataDir: string;
  readonly certDir: string;
  readonly tokenFile: string;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
  readonly emulatedVersion?: string | undefined;
}

const SERVICE_RANGE = "10.96.0.0/16";

/** Flags of etcd; the second port is for peers, which do not exist. */
export function etcdFlags(facts: FlagFacts, port: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    `--data-dir=${facts.etcdDataDir}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    // The data must survive a kill of the process, not a power cut.
    "--unsafe-no-fsync",
  ];
}

/** Flags of the API server. */
export function apiserverFlags(facts: FlagFacts, port: number, etcdUrl: string): string[] {
  return [
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--cert-dir=${facts.certDir}`,
    `--token-auth-file=${facts.tokenFile}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${facts.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${facts.serviceAccountKey}`,
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    // Without this plugin, pods need no service account, and thus no controller manager.
    "--disable-admission-plugins=ServiceAccount",
    ...emulation(facts),
  ];
}

/** Flags of the controller manager. */
export function controllerManagerFlags(facts: FlagFacts, port: number, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--service-account-private-key-file=${facts.serviceAccountKey}`,
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    "--leader-elect=false",
    // No kubelet renews the leases of the fake nodes, so ready nodes must stay ready without it.
    "--node-monitor-grace-period=2h",
    ...emulation(facts),
  ];
}

function emulation({ emulatedVersion }: FlagFacts): string[] {
  return emulatedVersion === undefined ? [] : [`--emulated-version=${emulatedVersion}`];
}
