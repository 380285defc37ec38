/** What tests see of a rig: objects as far as they look at them, and the operator's log. */

/** An Event, as far as tests look at it. */
export interface SeenEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string };
}

export interface NodeObject {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly providerID?: string; readonly taints?: readonly { readonly key: string }[] };
}

export interface JobView {
  readonly metadata: {
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly ownerReferences: readonly { readonly name: string }[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The template of a Job's pod. */
export interface PodTemplate {
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly containers: readonly (object & {
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    })[];
  };
}

/** `run --a=b --c` as flags. */
export function flagsOf(args: readonly string[]): Readonly<Record<string, string>> {
  const flags = args.filter((arg) => arg.startsWith("--")).map((arg) => arg.slice(2).split("="));
  return Object.fromEntries(flags.map(([name = "", ...value]) => [name, value.join("=") || "true"]));
}

/** For `JSON.stringify`: leaves out what no reader needs. */
export function withoutNoise(key: string, value: unknown): unknown {
  return key === "managedFields" || key === "updateRoutedIP" || key === "updateFirewall" ? undefined : value;
}
