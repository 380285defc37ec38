import type { Assembly, AssemblyMethod, AssemblyType, AssemblyValue, Docs } from "./assembly.js";

/** Names that every construct's constructor has: they need no words. */
const USUAL = ["scope", "id", "props"];

/**
 * What is wrong with the public API in the eyes of somebody who has only an editor, in any of the four languages:
 * something has no documentation, an optional prop does not tell its default, a struct is not the last parameter (only
 * there Python takes keyword arguments), or a name comes apart in Python (`desiredIPs` becomes `desired_i_ps`).
 */
export function lintAssembly(assembly: Assembly): readonly string[] {
  const isStruct = (value: AssemblyValue): boolean => assembly.types[value.type.fqn ?? ""]?.datatype === true;
  return Object.values(assembly.types).flatMap((type) => [
    ...undocumented(type.name, type),
    ...(type.members ?? []).flatMap((member) => undocumented(`${type.name}.${member.name}`, member)),
    ...(type.properties ?? []).flatMap((property) => lintProperty(type, property)),
    ...methodsOf(type).flatMap((method) => lintMethod(type, method, isStruct)),
  ]);
}

function methodsOf({ methods = [], initializer }: AssemblyType): readonly AssemblyMethod[] {
  const making = { name: "constructor", docs: { summary: "Makes one." }, parameters: initializer?.parameters ?? [] };
  return [...methods, making];
}

function lintProperty(type: AssemblyType, property: AssemblyValue): readonly string[] {
  const name = `${type.name}.${property.name}`;
  // Of a class, an optional property is something to read, and its text says when it is undefined.
  const asked = type.kind === "interface" && property.optional === true;
  const noDefault = asked && property.docs?.default === undefined ? [`${name} is optional and has no @default`] : [];
  return [...undocumented(name, property), ...noDefault, ...pythonName(name, property.name)];
}

function lintMethod(
  type: AssemblyType,
  method: AssemblyMethod,
  isStruct: (value: AssemblyValue) => boolean,
): readonly string[] {
  const name = `${type.name}.${method.name}`;
  const parameters = method.parameters ?? [];
  return [
    ...undocumented(name, method),
    ...pythonName(name, method.name),
    ...parameters.flatMap((parameter) => [
      ...(USUAL.includes(parameter.name) ? [] : undocumented(`${name}(${parameter.name})`, parameter)),
      ...pythonName(`${name}(${parameter.name})`, parameter.name),
    ]),
    ...parameters
      .slice(0, -1)
      .filter(isStruct)
      .map((parameter) => `${name}(${parameter.name}) is a struct and not the last parameter`),
  ];
}

function undocumented(name: string, { docs }: { readonly docs?: Docs }): readonly string[] {
  return docs?.summary ? [] : [`${name} has no documentation`];
}

function pythonName(where: string, name: string): readonly string[] {
  const python = snakeCase(name);
  // A word of one letter is what is left of an abbreviation.
  return /(^|_)[a-z]_|_[a-z]$/.test(python) ? [`${where} becomes ${python} in Python`] : [];
}

/** A name as jsii writes it in Python. */
function snakeCase(name: string): string {
  const split = name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2");
  return split.toLowerCase();
}
