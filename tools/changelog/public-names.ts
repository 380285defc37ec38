/** The names of the type model that users write or read. A release that removes one breaks manifests, alerts or scripts. */
/** The part of the type model that has the names. */
export interface Api {
  readonly ALL_KINDS: readonly KindNames[];
  readonly REASONS: Entries;
  readonly REFUSALS: Entries;
  readonly EVENTS: Entries;
  readonly METRICS: Readonly<Record<string, { readonly labels: readonly string[] }>>;
  readonly FLAGS: readonly { readonly name: string }[];
  readonly FEATURES: Entries;
  readonly providerVariables: () => readonly { readonly env: string }[];
  readonly Annotation: Values;
  readonly Label: Values;
  readonly Finalizer: Values;
}

type Entries = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, string>>;

interface KindNames {
  readonly kind: string;
  readonly spec: object;
  readonly status: object;
  readonly columns: readonly { readonly name: string }[];
  readonly conditions: readonly string[];
}

/** Names by topic. */
export type Names = Readonly<Record<string, readonly string[]>>;

export function namesOf(api: Api): Names {
  return {
    fields: api.ALL_KINDS.flatMap(({ kind, spec, status }) => [
      ...fieldsBelow(`${kind}.spec`, spec),
      ...fieldsBelow(`${kind}.status`, status),
    ]),
    columns: api.ALL_KINDS.flatMap(({ kind, columns }) => columns.map(({ name }) => `${kind} ${name}`)),
    conditions: api.ALL_KINDS.flatMap(({ kind, conditions }) => conditions.map((type) => `${kind} ${type}`)),
    reasons: Object.keys(api.REASONS),
    "reasons of refused nodes": Object.keys(api.REFUSALS),
    Events: Object.keys(api.EVENTS),
    metrics: Object.entries(api.METRICS).map(([name, { labels }]) => `${name}{${labels.join(",")}}`),
    flags: api.FLAGS.map(({ name }) => `--${name}`),
    features: Object.keys(api.FEATURES),
    "environment variables": api.providerVariables().map(({ env }) => env),
    "annotations, labels and finalizers": [api.Annotation, api.Label, api.Finalizer].flatMap((keys) =>
      Object.values(keys),
    ),
  };
}

/** What any schema may have below it. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly values?: object;
  readonly enum?: object;
}

function fieldsBelow(path: string, schema: object): readonly string[] {
  const node: SchemaNode = schema;
  const below = (name: string, child: object | undefined): readonly string[] =>
    child === undefined ? [] : fieldsBelow(name, child);
  return [
    ...Object.keys(node.enum ?? {}).map((value) => `${path}=${value}`),
    ...Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
      const field = `${path}.${name}`;
      return [field, ...below(field, child)];
    }),
    ...below(`${path}[]`, node.items),
    ...below(`${path}{}`, node.values),
  ];
}

/** What only one side has, by topic, a line each. */
export function difference(before: Names, after: Names): readonly string[] {
  return Object.keys(after).flatMap((topic) => {
    const [old = [], now = []] = [before[topic], after[topic]];
    const removed = old.filter((name) => !now.includes(name)).map((name) => `  removed  ${name}`);
    const added = now.filter((name) => !old.includes(name)).map((name) => `  added    ${name}`);
    return removed.length + added.length > 0 ? [topic, ...removed, ...added] : [];
  });
}
