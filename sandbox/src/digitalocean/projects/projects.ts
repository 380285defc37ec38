/** `/v2/projects`: groups of resources, one of which is the default. */

import type { Handler, Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import type { ProjectData, ProjectEnvironment } from "../data.js";
import { notFound, refusal, unprocessable } from "../errors.js";
import { bodyOf, booleanField, required, textField, textsField } from "../fields.js";
import { page } from "../pagination.js";
import { timestamp } from "../time.js";
import type { World } from "../world.js";
import {
  defaultProject,
  findResource,
  listProjects,
  moveResource,
  type ProjectResource,
  putProject,
  resourcesOf,
} from "./project-store.js";

const LIST = "/v2/projects";
const ENVIRONMENTS: readonly ProjectEnvironment[] = ["Development", "Staging", "Production"];
const MOST_NAME = 175;

/** The project that the route names; 404 where there is none. */
function projectOf(request: SimulatorRequest, world: World): ProjectData {
  const first = defaultProject(world);
  const id = request.params["project_id"];
  const project = id === undefined ? first : world.data.projects.get(id);
  if (project === undefined) throw notFound(request);
  return project;
}

function view({ data: { account } }: World, project: ProjectData): JsonObject {
  const { id, name, description, purpose, environment, createdAt, updatedAt } = project;
  return {
    ...{ id, owner_uuid: account.uuid, owner_id: 1, name, description, purpose, environment },
    ...{ is_default: id === account.uuid, created_at: timestamp(createdAt), updated_at: timestamp(updatedAt) },
  };
}

function one(world: World, project: ProjectData, status = 200): SimulatorAnswer {
  return { status, body: { project: view(world, project) } };
}

function create(request: SimulatorRequest, world: World): SimulatorAnswer {
  const fields = fieldsOf(request, world);
  const name = required(request, "name", fields.name);
  const purpose = required(request, "purpose", fields.purpose);
  const { description = "", environment = "Development" } = fields;
  defaultProject(world);
  return one(world, putProject(world, { id: world.numbers.uuid(), name, description, purpose, environment }), 201);
}

type Fields = Partial<Pick<ProjectData, "name" | "description" | "purpose" | "environment">>;

function fieldsOf(request: SimulatorRequest, world: World, own?: ProjectData): Fields {
  const body = bodyOf(request);
  const [name, description, purpose] = ["name", "description", "purpose"].map((key) => textField(request, body, key));
  const environment = environmentOf(request, textField(request, body, "environment"));
  if (name !== undefined) checkName(request, { world, name, own });
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(purpose !== undefined && { purpose }),
    ...(environment !== undefined && { environment }),
  };
}

function environmentOf(request: SimulatorRequest, text: string | undefined): ProjectEnvironment | undefined {
  const found = ENVIRONMENTS.find((one) => one === text);
  if (text !== undefined && found === undefined) {
    throw unprocessable(request, `environment must be one of ${ENVIRONMENTS.join(", ")}.`);
  }
  return found;
}

interface NameCheck {
  readonly world: World;
  readonly name: string;
  readonly own: ProjectData | undefined;
}

function checkName(request: SimulatorRequest, { world, name, own }: NameCheck): void {
  if (name === "" || name.length > MOST_NAME) {
    throw unprocessable(request, `name must have 1 to ${MOST_NAME} characters.`);
  }
  if (listProjects(world).some((project) => project !== own && project.name === name)) {
    throw unprocessable(request, "name is already in use.");
  }
}

/** PUT needs every field, PATCH changes those that it has. Which project is the default can't be changed here. */
function change(request: SimulatorRequest, world: World): SimulatorAnswer {
  const project = projectOf(request, world);
  const body = bodyOf(request);
  if (request.method === "PUT") {
    for (const key of ["name", "description", "purpose", "environment"]) {
      required(request, key, textField(request, body, key));
    }
    required(request, "is_default", booleanField(request, body, "is_default"));
  }
  Object.assign(project, fieldsOf(request, world, project), { updatedAt: world.clock.now() });
  return one(world, project);
}

function remove(request: SimulatorRequest, world: World): SimulatorAnswer {
  const project = projectOf(request, world);
  if (project === defaultProject(world)) throw refusal(request, 412, "cannot delete the default project");
  if (resourcesOf(world, project).length > 0) throw refusal(request, 412, "cannot delete a project with resources");
  world.data.projects.delete(project.id);
  return { status: 204 };
}

function listResources(request: SimulatorRequest, world: World): SimulatorAnswer {
  const resources = resourcesOf(world, projectOf(request, world));
  return page(request, "resources", resources, (resource) => resourceView(request, resource, "ok"));
}

/** All or none: a URN that the account does not have refuses the request. */
function assign(request: SimulatorRequest, world: World): SimulatorAnswer {
  const project = projectOf(request, world);
  const resources = textsField(request, bodyOf(request), "resources").map((urn) => {
    const found = findResource(world, urn);
    if (found === undefined) throw notFound(request);
    return found;
  });
  for (const resource of resources) moveResource(world, resource, project);
  const views = resourcesOf(world, project).map((resource) =>
    resourceView(request, resource, resources.some(({ urn }) => urn === resource.urn) ? "assigned" : "ok"),
  );
  return { status: 200, body: { resources: views } };
}

function resourceView(
  { baseUrl }: SimulatorRequest,
  { urn, path, assignedAt }: ProjectResource,
  status: "ok" | "assigned",
): JsonObject {
  return { urn, assigned_at: timestamp(assignedAt), links: { self: `${baseUrl}${path}` }, status };
}

function itemRoutes(path: string): readonly Route<World>[] {
  const get: Handler<World> = (request, world) => one(world, projectOf(request, world));
  return [
    { method: "GET", path, handle: get },
    { method: "PUT", path, handle: change },
    { method: "PATCH", path, handle: change },
    { method: "GET", path: `${path}/resources`, handle: listResources },
    { method: "POST", path: `${path}/resources`, handle: assign },
  ];
}

export const projectRoutes: readonly Route<World>[] = [
  {
    method: "GET",
    path: LIST,
    handle: (request, world) => page(request, "projects", listProjects(world), (project) => view(world, project)),
  },
  { method: "POST", path: LIST, handle: create },
  ...itemRoutes(`${LIST}/default`),
  ...itemRoutes(`${LIST}/{project_id}`),
  { method: "DELETE", path: `${LIST}/{project_id}`, handle: remove },
];
