import {
  type CelFunc,
  type CelInput,
  type CelResult,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celMethod,
  isCelError,
  listType,
  parse,
  plan,
} from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { isIp, parseAddressRange } from "cdk8s-flipop/api";

/** What a rule sees. */
export interface CelBindings {
  readonly self: CelInput;
  /** Absent on create. */
  readonly oldSelf?: CelInput;
}

/** A compiled expression; it throws where the evaluation fails. */
export type CelProgram = (bindings: CelBindings) => CelValue;

const OPTIONAL = listType(CelScalar.DYN);

/**
 * What Kubernetes adds to CEL, as far as rules of ours use it. An optional value is represented as a list of at most one
 * item, which is how `optionalOldSelf` binds `oldSelf`.
 */
const EXTENSIONS: readonly CelFunc[] = [
  ...strings,
  celFunc("isIP", [CelScalar.STRING], CelScalar.BOOL, (text) => isIp(text)),
  celFunc("isCIDR", [CelScalar.STRING], CelScalar.BOOL, (text) => parseAddressRange(text) !== undefined),
  celMethod("hasValue", OPTIONAL, [], CelScalar.BOOL, function () {
    return this.size > 0;
  }),
  celMethod("value", OPTIONAL, [], CelScalar.DYN, function () {
    const value = this.get(0);
    if (value === undefined) throw new Error("optional.none() dereference");
    return value;
  }),
  celMethod("orValue", OPTIONAL, [CelScalar.DYN], CelScalar.DYN, function (fallback) {
    return this.get(0) ?? fallback;
  }),
];

const environment = celEnv({ funcs: [...EXTENSIONS] });
const programs = new Map<string, CelProgram>();

/** Compiles an expression, once; throws where it does not parse. */
export function celProgram(expression: string): CelProgram {
  const known = programs.get(expression);
  if (known) return known;
  const planned = plan(environment, parse(expression));
  const program: CelProgram = (bindings) => succeeded(planned({ ...bindings }));
  programs.set(expression, program);
  return program;
}

/** The binding of `oldSelf` in a rule with `optionalOldSelf`. */
export function optional(value: CelInput | undefined): CelInput {
  return value === undefined ? [] : [value];
}

function succeeded(result: CelResult): CelValue {
  // The words of the Go implementation.
  if (isCelError(result)) throw new Error(result.message.replace("field not found:", "no such key:"));
  return result;
}
