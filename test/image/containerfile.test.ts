import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Chart, Testing } from "cdk8s";
import { FlipopOperator } from "cdk8s-flipop";
import { expect } from "chai";
import { describe, it } from "mocha";
import { NEWER_NODES } from "../../projenrc/versions.js";
import { NODE_VERSION } from "../../tools/image/pinned-packages.js";
import { CONTAINER, IMAGE_NAME, REVISION_LABEL, USER } from "../../tools/image/settings.js";

const ROOT = resolve(import.meta.dirname, "../..");
const FILE = resolve(ROOT, "tools/image/Containerfile");

/** The instructions, each with its lines joined. */
function instructions(): readonly (readonly [string, string])[] {
  const text = readFileSync(FILE, "utf8").replaceAll(/\\\n\s*/g, "");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]);
}

describe("the Containerfile", () => {
  it("builds the same image as npm run image", () => {
    const said = Object.fromEntries(instructions());
    const labels = [...(said["LABEL"] ?? "").matchAll(/([\w.]+)=("[^"]*")/g)].map(([, name, value = ""]) => {
      return [name, JSON.parse(value) as string] as const;
    });
    expect({
      User: said["USER"],
      ExposedPorts: Object.fromEntries((said["EXPOSE"] ?? "").split(" ").map((port) => [port, {}])),
      Env: said["ENV"]?.split(" "),
      Entrypoint: JSON.parse(said["ENTRYPOINT"] ?? "") as string[],
      WorkingDir: said["WORKDIR"],
      Labels: Object.fromEntries(labels),
      StopSignal: said["STOPSIGNAL"],
    }).to.deep.equal({ ...CONTAINER, Labels: { ...CONTAINER.Labels, [REVISION_LABEL]: `$${"{REVISION}"}` } });
  });

  it("starts from scratch and copies only the root file system", () => {
    const copied = instructions().filter(([word]) => ["FROM", "COPY", "ADD", "RUN"].includes(word));
    expect(copied).to.deep.equal([
      ["FROM", "scratch"],
      ["COPY", `$${"{TARGETARCH}"}/ /`],
    ]);
  });
});

describe("the image's facts", () => {
  it("equal those of the Deployment: name, user and ports", () => {
    const chart = new Chart(Testing.app(), "test");
    new FlipopOperator(chart, "flipop");
    const objects = Testing.synth(chart) as readonly { kind: string; spec: { template: { spec: PodSpec } } }[];
    const pod = objects.find(({ kind }) => kind === "Deployment")?.spec.template.spec;
    expect(pod?.securityContext).to.include({ runAsUser: USER, runAsGroup: USER, runAsNonRoot: true });
    const [container] = pod?.containers ?? [];
    expect(container?.image).to.equal(IMAGE_NAME);
    expect(container?.ports.map(({ containerPort }) => `${containerPort}/tcp`)).to.have.members(
      Object.keys(CONTAINER.ExposedPorts),
    );
    // The image's entrypoint, followed by these arguments.
    expect(container).not.to.have.property("command");
  });

  it("include a Node release of the unit tests, on which the bench runs too", () => {
    expect(NEWER_NODES).to.include(NODE_VERSION);
    const { tasks } = JSON.parse(readFileSync(resolve(ROOT, "operator/.projen/tasks.json"), "utf8")) as Tasks;
    expect(tasks["bench"]?.steps?.[0]?.exec).to.include(`--package=node@${NODE_VERSION} `);
  });

  it("name the folder that the release workflow pushes", () => {
    const workflow = readFileSync(resolve(ROOT, ".github/workflows/release.yml"), "utf8");
    expect(workflow).to.include("skopeo copy --all oci:operator/dist/image/oci ");
  });
});

interface Tasks {
  readonly tasks: Readonly<Record<string, { readonly steps?: readonly { readonly exec?: string }[] }>>;
}

interface PodSpec {
  readonly securityContext: object;
  readonly containers: readonly {
    readonly image: string;
    readonly ports: readonly { readonly containerPort: number }[];
  }[];
}
