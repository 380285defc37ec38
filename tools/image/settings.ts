import { IMAGE, PORTS, RELEASE } from "cdk8s-flipop/api";
import { REPOSITORY } from "../../projenrc/versions.js";

/** Name and tag of the image: the one that the Deployment of the construct library asks for. */
export const IMAGE_NAME = IMAGE;

/** Where the operator's files are. */
export const APP_FOLDER = "usr/lib/flipop";
export const NODE_PATH = "usr/bin/node";
/** User and group that the container runs as: a name for them is in /etc/passwd. */
export const USER = 65_532;

const WEB = REPOSITORY.replace(/\.git$/, "");

/** What the container is started with, in the words of the OCI image configuration; Containerfile says the same. */
export const CONTAINER = {
  User: `${USER}:${USER}`,
  ExposedPorts: { [`${PORTS.metrics}/tcp`]: {}, [`${PORTS.health}/tcp`]: {} },
  // Node's usual 16 MB let garbage pile up to a fifth of what the operator takes.
  Env: ["PATH=/usr/bin", "NODE_OPTIONS=--max-semi-space-size=8"],
  Entrypoint: [`/${NODE_PATH}`, `/${APP_FOLDER}/flipop.mjs`],
  WorkingDir: "/",
  Labels: {
    "org.opencontainers.image.title": "flipop",
    "org.opencontainers.image.description": "Stable public addresses for Kubernetes nodes",
    "org.opencontainers.image.version": RELEASE,
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.source": WEB,
    "org.opencontainers.image.url": WEB,
  },
  StopSignal: "SIGTERM",
} as const;
