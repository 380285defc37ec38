import type { Assembly, AssemblyMethod, AssemblyType, AssemblyValue, Docs } from "./assembly.js";

/** Common names in constructors of constructs, which need no documentation. */
const USUAL = ["scope", "id", "props"];

/**
 * Problems of the public API for users of an editor, in any of the four languages: missing documentation, a class
 * without an example, an optional
 * prop without a documented default, a struct that is not the last parameter (only there Python supports keyword
 * arguments), or a name that Python splits wrongly (`desiredIPs` becomes `desired_i_ps`).
 */
export function lintAssembly(assembly: Assembly): readonly string[] {
  const isStruct = (value: AssemblyValue): boolean => assembly.types[value.type.fqn ?? ""]?.datatype === true;
  return Object.values(assembly.types).flatMap((type) => [
    ...undocumented(type.name, type),
    ...(type.kind === "class" && type.docs?.example === undefined ? [`${type.name} has no @example`] : []),
    ...(type.members ?? []).flatMap((member) => undocumented(`${type.name}.${member.name}`, member)),
    ...(type.properties ?? []).flatMap((property) => lintProperty(type, property)),
    ...methodsOf(type).flatMap((method) => lintMethod(type, method, isStruct)),
  ]);
}

function methodsOf({ methods = [], initializer }: AssemblyType): readonly AssemblyMethod[] {
  const making = {
    name: "constructor",
    docs: { summary: "Creates an object." },
    parameters: initializer?.parameters ?? [],
  };
  return [...methods, making];
}

function lintProperty(type: AssemblyType, property: AssemblyValue): readonly string[] {
  const name = `${type.name}.${property.name}`;
  // An optional property of a class is read-only, and its docstring describes when it is undefined.
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
  // A word of one letter is a split abbreviation.
  return /(^|_)[a-z]_|_[a-z]$/.test(python) ? [`${where} becomes ${python} in Python`] : [];
}

/** A name as jsii writes it in Python. */
function snakeCase(name: string): string {
  const split = name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2");
  return split.toLowerCase();
}
