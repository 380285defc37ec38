import type { Answer, Body } from "../api-client.js";
import { becomes, DEFINITIONS, ok, type Target, uniqueName } from "../target.js";

/** The last cause of a refusal whose earlier causes kept the server from checking everything. */
export const NOT_CHECKED =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** A schema with one of everything that the type model uses. */
export const THING_SCHEMA = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["count"],
      properties: {
        count: { type: "integer", format: "int32", minimum: 1, maximum: 10, default: 3 },
        color: { type: "string", enum: ["red", "green"], default: "red" },
        name: { type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" },
        ratio: { type: "number", minimum: 0 },
        flag: { type: "boolean" },
        when: { type: "string", format: "date-time" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        nest: {
          type: "object",
          default: {},
          properties: { a: { type: "string", default: "x" }, b: { type: "string", nullable: true } },
        },
        tags: {
          type: "array",
          maxItems: 3,
          "x-kubernetes-list-type": "set",
          items: { type: "string", maxLength: 10 },
        },
        ports: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string", maxLength: 10 }, port: { type: "integer", minimum: 1 } },
          },
        },
        labels: { type: "object", maxProperties: 2, additionalProperties: { type: "string", maxLength: 5 } },
        ip: {
          type: "string",
          maxLength: 50,
          "x-kubernetes-validations": [{ rule: "isIP(self)", message: "no ip" }],
        },
        fixed: {
          type: "string",
          maxLength: 50,
          "x-kubernetes-validations": [
            { rule: "self == oldSelf", messageExpression: "'was ' + oldSelf + ' is ' + self" },
          ],
        },
        low: { type: "integer" },
        high: { type: "integer" },
      },
      "x-kubernetes-validations": [
        {
          rule: "!has(self.low) || !has(self.high) || self.low <= self.high",
          messageExpression: "'low is over high' + (self.low > 5 ? ' by far' : '')",
          reason: "FieldValueForbidden",
          fieldPath: ".low",
        },
        {
          rule: "!has(self.tags) || self.tags.all(tag, tag.split('-').size() == 1 && tag.substring(0, 1) != 'x')",
          message: "a tag has a dash or begins with x",
        },
      ],
    },
    status: {
      type: "object",
      properties: { n: { type: "integer" }, m: { type: "object", additionalProperties: { type: "string" } } },
    },
  },
} as const;

/** A custom resource in a namespace, served by a definition of its own. */
export class Things {
  private constructor(
    private readonly target: Target,
    readonly group: string,
    /** Path of the collection. */
    readonly path: string,
  ) {}

  /** Creates the definition and waits until it is served. @param selectable by the field spec.color */
  static async define(target: Target, namespace: string, schema: object, selectable = false): Promise<Things> {
    const group = `${uniqueName("g")}.example.com`;
    ok(await target.admin.post(DEFINITIONS, thingDefinition(group, schema, selectable)));
    const path = `/apis/${group}/v1/namespaces/${namespace}/things`;
    await becomes(target, path, 200);
    return new Things(target, group, path);
  }

  /** Path of the definition. */
  get definition(): string {
    return `${DEFINITIONS}/things.${this.group}`;
  }

  /** An object of this kind. */
  object(fields: object): object {
    return { apiVersion: `${this.group}/v1`, kind: "Thing", ...fields };
  }

  /** Tries to create one. */
  create(spec: unknown, name = uniqueName("thing"), query = {}): Promise<Answer> {
    return this.target.admin.post(this.path, this.object({ metadata: { name }, spec }), query);
  }

  /** Creates one; returns it and its path. */
  async made(spec: unknown): Promise<{ readonly path: string; readonly body: Body }> {
    const { body } = ok(await this.create(spec));
    return { path: `${this.path}/${body.metadata.name}`, body };
  }

  /** Puts another schema in force. */
  async redefine(schema: object, isInForce: () => Promise<boolean>): Promise<void> {
    const path = "/spec/versions/0/schema/openAPIV3Schema";
    ok(await this.target.admin.patch(this.definition, "json", [{ op: "replace", path, value: schema }]));
    while (!(await isInForce())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Deletes the definition and with it all objects. */
  async drop(): Promise<void> {
    ok(await this.target.admin.delete(this.definition));
  }
}

/** A definition of the kind Thing. */
function thingDefinition(group: string, schema: object, selectable: boolean): object {
  const additionalPrinterColumns = [
    { name: "Count", type: "integer", jsonPath: ".spec.count" },
    { name: "Tags", type: "string", jsonPath: ".spec.tags[*]", priority: 1 },
    { name: "Port", type: "integer", jsonPath: '.spec.ports[?(@.name=="http")].port' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ];
  return {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Thing", plural: "things", singular: "thing", listKind: "ThingList", shortNames: ["th"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns,
          ...(selectable && { selectableFields: [{ jsonPath: ".spec.color" }] }),
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}
