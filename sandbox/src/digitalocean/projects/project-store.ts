/** Projects, and which resources are in each. */

import type { ProjectData } from "../data.js";
import type { World } from "../world.js";

/** A resource as projects name it. */
export interface ProjectResource {
  /** `do:droplet:12`, `do:domain:example.com`, `do:floatingip:192.0.2.1`. */
  readonly urn: string;
  /** Where the API shows it, from `/v2` on. */
  readonly path: string;
  readonly projectId: string;
  readonly assignedAt: number;
}

/** The project in which everything is created that names no other one; it is made at the first look. */
export function defaultProject(world: World): ProjectData {
  const { projects, account } = world.data;
  const known = projects.get(account.uuid);
  if (known !== undefined) return known;
  const content = { name: "Default", description: "Default project", purpose: "Just trying out DigitalOcean" };
  return putProject(world, { id: account.uuid, ...content, environment: "Development" });
}

export function putProject({ data, clock }: World, content: Omit<ProjectData, "createdAt" | "updatedAt">): ProjectData {
  const now = clock.now();
  const project = { ...content, createdAt: now, updatedAt: now };
  data.projects.set(project.id, project);
  return project;
}

/** All projects, the default one first. */
export function listProjects(world: World): readonly ProjectData[] {
  const first = defaultProject(world);
  return [first, ...[...world.data.projects.values()].filter((project) => project !== first)];
}

/** What is in a project. */
export function resourcesOf(world: World, { id }: ProjectData): readonly ProjectResource[] {
  return allResources(world).filter(({ projectId }) => projectId === id);
}

/** The resource of a URN; undefined where the account has none. */
export function findResource(world: World, urn: string): ProjectResource | undefined {
  return allResources(world).find((resource) => resource.urn === urn);
}

export function moveResource({ data, clock }: World, { urn }: ProjectResource, { id }: ProjectData): void {
  data.moved.set(urn, { projectId: id, at: clock.now() });
  const address = data.addresses.get(urn.replace(/^do:floatingip:/, ""));
  if (address !== undefined) address.projectId = id;
}

function allResources({ data }: World): readonly ProjectResource[] {
  const { account, droplets, domains, addresses, moved } = data;
  const at = (
    urn: string,
    path: string,
    { projectId = account.uuid, since }: { projectId?: string; since: number },
  ) => {
    const move = moved.get(urn);
    return { urn, path, projectId: move?.projectId ?? projectId, assignedAt: move?.at ?? since };
  };
  const ipv4 = [...addresses.values()].filter(({ family }) => family === "ipv4");
  return [
    ...[...droplets.values()].map(({ id, createdAt }) =>
      at(`do:droplet:${id}`, `/v2/droplets/${id}`, { since: createdAt }),
    ),
    ...[...domains.values()].map(({ name }) => at(`do:domain:${name}`, `/v2/domains/${name}`, { since: 0 })),
    ...ipv4.map(({ ip, projectId, reservedAt }) =>
      at(`do:floatingip:${ip}`, `/v2/floating_ips/${ip}`, { projectId, since: reservedAt }),
    ),
  ];
}
