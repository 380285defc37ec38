import { IMAGE, PORTS, RELEASE } from "cdk8s-flipop/api";
import { IMAGE_ENV } from "flipop-operator/image-env";
import { REPOSITORY } from "../../projenrc/versions.js";

/** Name and tag of the image, which the construct library's Deployment uses. */
export const IMAGE_NAME = IMAGE;

/** Folder of the operator's files. */
export const APP_FOLDER = "usr/lib/flipop";
export const NODE_PATH = "usr/bin/node";
/** User and group of the container; /etc/passwd has their name. */
export const USER = 65_532;

const WEB = REPOSITORY.replace(/\.git$/, "");

/** The label with the commit from which the image was built. */
export const REVISION_LABEL = "org.opencontainers.image.revision";

/** The container's start configuration, in OCI format; the Containerfile has the same values. */
export const CONTAINER = {
  User: `${USER}:${USER}`,
  ExposedPorts: { [`${PORTS.metrics}/tcp`]: {}, [`${PORTS.health}/tcp`]: {} },
  Env: ["PATH=/usr/bin", ...Object.entries(IMAGE_ENV).map(([name, value]) => `${name}=${value}`)],
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
