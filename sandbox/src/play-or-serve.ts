import { systemClock } from "flipop-operator/clock";
import { EXIT } from "flipop-operator/exit";
import { createLogger, Redactor } from "flipop-operator/logging";
import type { SandboxApi, SandboxOptions } from "./cli-options.js";
import { startCloudflareSimulator } from "./cloudflare/index.js";
import { startStandAloneDigitalOcean } from "./digitalocean/stand-alone.js";
import { cloudflareSection, digitalOceanSection, greeting, kubernetesSection } from "./greeting.js";
import { KubeconfigFile } from "./kubeconfig-file.js";
import { type Emulator, startEmulator } from "./kubernetes/index.js";
import { type Machine, putNode } from "./nodes.js";
import { startProblem } from "./start-problem.js";
import { playStory } from "./story/command.js";

/** What was started. */
interface Running {
  readonly greeting: string;
  close(): Promise<void>;
}

type Start = (options: SandboxOptions) => Promise<Running>;

/** A story in a simulated world, or one simulated API. Resolves to the exit code. */
export async function sandbox(options: SandboxOptions): Promise<number> {
  const stop = interrupted();
  const { only } = options;
  return only === undefined ? play(options, stop) : serve(only, options, stop);
}

/** Without a terminal there is no Ctrl-C, so the process ends with the story. */
function play(options: SandboxOptions, stop: AbortSignal): Promise<number> {
  return playStory(options, {
    stop,
    attended: process.stdin.isTTY === true,
    out: process.stdout,
    env: process.env,
    print: (text) => console.log(text),
    complain: (text) => console.error(text),
    logger: ownLogger(),
  });
}

/** A single API is a server for others, who end it by a signal. */
async function serve(only: SandboxApi, options: SandboxOptions, stop: AbortSignal): Promise<number> {
  let running: Running;
  try {
    running = await STARTS[only](options);
  } catch (error) {
    console.error(`flipop: ${startProblem(error, options.port)}`);
    return EXIT.failed;
  }
  console.log(running.greeting);
  if (!options.once && !stop.aborted) await new Promise((resolve) => stop.addEventListener("abort", resolve));
  await running.close();
  return EXIT.ok;
}

const STARTS: Readonly<Record<SandboxApi, Start>> = {
  kubernetes: startKubernetes,
  digitalocean: startDigitalOcean,
  cloudflare: startCloudflare,
};

async function startKubernetes({ port, kubeconfig }: SandboxOptions): Promise<Running> {
  const emulator = await startEmulator({ port });
  for (const machine of await standAloneMachines()) putNode(emulator, { name: machine.name }, machine);
  const file = await written(kubeconfig, emulator);
  const sections = [kubernetesSection(emulator.url, file.path)];
  return {
    greeting: greeting("a Kubernetes API with three nodes, in this process", sections),
    close: () => emulator.close().finally(() => file.remove()),
  };
}

/** A file that can't be written leaves no server behind, which would keep the process alive. */
async function written(path: string | undefined, emulator: Emulator): Promise<KubeconfigFile> {
  try {
    return new KubeconfigFile(path, emulator.kubeconfig());
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

async function startDigitalOcean({ port }: SandboxOptions): Promise<Running> {
  const simulator = await startStandAloneDigitalOcean({ port, logger: ownLogger() });
  const heading = "a DigitalOcean account with three droplets and the domain example.com, in this process";
  return { greeting: greeting(heading, [digitalOceanSection(simulator)]), close: () => simulator.close() };
}

async function startCloudflare({ port }: SandboxOptions): Promise<Running> {
  const simulator = await startCloudflareSimulator({ port, logger: ownLogger() });
  const heading = "a Cloudflare account with the zone example.com, in this process";
  return { greeting: greeting(heading, [cloudflareSection(simulator)]), close: () => simulator.close() };
}

/** The droplets of `--only digitalocean`, so that an operator can use both APIs. */
async function standAloneMachines(): Promise<readonly (Machine & { readonly name: string })[]> {
  const account = await startStandAloneDigitalOcean({ port: 0, logger: ownLogger() });
  await account.close();
  return account.state.listDroplets();
}

/** For the simulators' own mistakes. */
function ownLogger() {
  return createLogger({ clock: systemClock, redactor: new Redactor(), output: process.stderr });
}

function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));
  return stop.signal;
}
