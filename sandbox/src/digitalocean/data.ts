/** What the simulated account holds. Plain data only: stale reads are answered from a structured clone of it. */

export interface AccountData {
  /** Also the id of the default project. */
  readonly uuid: string;
  email: string;
  name: string;
  status: "active" | "warning" | "locked";
  dropletLimit: number;
  /** Reserved IPv4 addresses; BYOIP addresses don't count. */
  reservedIpLimit: number;
  reservedIpv6Limit: number;
}

export type DropletStatus = "new" | "active" | "off" | "archive";

export interface DropletData {
  readonly id: number;
  name: string;
  readonly region: string;
  status: DropletStatus;
  size: string;
  readonly image: string;
  readonly createdAt: number;
  readonly publicIp: string;
  readonly privateIp: string;
  /** Its own IPv6 address, if IPv6 is enabled. */
  publicIpv6: string | null;
  tags: string[];
  readonly gpu: boolean;
}

/** A reserved IPv4 or IPv6 address, or an address of a BYOIP prefix that was used at least once. */
export interface AddressData {
  /** In its shortest form. */
  readonly ip: string;
  readonly family: "ipv4" | "ipv6";
  readonly region: string;
  projectId: string;
  readonly reservedAt: number;
  /** Number by which actions name it. */
  readonly resourceId: number;
  /** UUID of the prefix that it belongs to; null for DigitalOcean's own addresses. */
  readonly prefix: string | null;
  dropletId: number | null;
  assignedAt: number | null;
  /** The action that runs now. */
  actionId: number | null;
}

export interface ActionData {
  readonly id: number;
  status: "in-progress" | "completed" | "errored";
  readonly type: string;
  readonly startedAt: number;
  completedAt: number | null;
  readonly resourceId: number;
  readonly resourceType: "reserved_ip" | "reserved_ipv6" | "droplet";
  readonly region: string;
  /** The address that it concerns. */
  readonly ip: string | null;
  /** The droplets that it keeps busy: first its own or the one that an address goes to, then the one it comes from. */
  readonly dropletIds: readonly number[];
  /** 404 to whoever asks for it, as with BYOIP addresses. */
  readonly hidden: boolean;
}

export interface RecordData {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly data: string;
  readonly priority: number | null;
  readonly port: number | null;
  readonly ttl: number;
  readonly weight: number | null;
  readonly flags: number | null;
  readonly tag: string | null;
}

export interface DomainData {
  readonly name: string;
  readonly ttl: number;
  readonly records: Map<number, RecordData>;
}

export interface FirewallTarget {
  readonly addresses?: readonly string[];
  readonly droplet_ids?: readonly number[];
  readonly load_balancer_uids?: readonly string[];
  readonly kubernetes_ids?: readonly string[];
  readonly tags?: readonly string[];
}

export interface FirewallRule {
  readonly protocol: "tcp" | "udp" | "icmp";
  /** As answered: `0` for all. */
  readonly ports: string;
  readonly target: FirewallTarget;
}

/** What a PUT replaces. */
export interface FirewallConfig {
  readonly name: string;
  readonly inbound: readonly FirewallRule[];
  readonly outbound: readonly FirewallRule[];
  readonly dropletIds: readonly number[];
  /** Names as the tags were created. */
  readonly tags: readonly string[];
}

export interface PendingChange {
  readonly dropletId: number;
  readonly removing: boolean;
}

export interface FirewallData {
  readonly id: string;
  readonly createdAt: number;
  config: FirewallConfig;
  status: "waiting" | "succeeded" | "failed";
  pending: readonly PendingChange[];
  /** What the provider's own controller puts back; null for a firewall of the user's. */
  managed: FirewallConfig | null;
  /** How many of the next lists leave it out. @default 0 */
  unlisted?: number;
}

export interface TagData {
  readonly name: string;
  /** In the order of tagging. */
  readonly dropletIds: Set<number>;
}

export interface PrefixData {
  readonly uuid: string;
  readonly name: string;
  readonly prefix: string;
  readonly region: string;
  status: "in_progress" | "active" | "failed";
  advertised: boolean;
  locked: boolean;
  failureReason: string;
  readonly projectId: string;
}

export type ProjectEnvironment = "Development" | "Staging" | "Production";

export interface ProjectData {
  readonly id: string;
  name: string;
  description: string;
  purpose: string;
  environment: ProjectEnvironment;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Data {
  readonly account: AccountData;
  readonly droplets: Map<number, DropletData>;
  /** By address. */
  readonly addresses: Map<string, AddressData>;
  /** Addresses by the droplet that holds them. */
  readonly held: Map<number, Set<string>>;
  readonly actions: Map<number, ActionData>;
  /** Ids of those in progress. */
  readonly running: Set<number>;
  readonly domains: Map<string, DomainData>;
  readonly firewalls: Map<string, FirewallData>;
  /** By name in lower case. */
  readonly tags: Map<string, TagData>;
  readonly prefixes: Map<string, PrefixData>;
  /** By id. */
  readonly projects: Map<string, ProjectData>;
  /** Resources that somebody moved into a project, by URN; all others are where they were created. */
  readonly moved: Map<string, { readonly projectId: string; readonly at: number }>;
}

export function emptyData(account: AccountData): Data {
  return {
    account,
    droplets: new Map(),
    addresses: new Map(),
    held: new Map(),
    actions: new Map(),
    running: new Set(),
    domains: new Map(),
    firewalls: new Map(),
    tags: new Map(),
    prefixes: new Map(),
    projects: new Map(),
    moved: new Map(),
  };
}
