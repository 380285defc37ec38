/**
 * A list of structs in a signature that pacmak writes, such as
 * `namespaces: typing.Optional[typing.Sequence[typing.Union["NamespaceLimits", typing.Dict[builtins.str, typing.Any]]]]`.
 */
const LIST =
  /^ {8}(\w+): (?:typing\.Optional\[)?typing\.Sequence\[typing\.Union\["?(\w+)"?, typing\.Dict\[builtins\.str, typing\.Any\]\]/gm;

/** The first line of the body of a method with parameters. */
const BODY = "        if __debug__:\n";

/** The first line of the next method. */
const METHOD = "\n    def ";

/**
 * The Python code of the library, in which a list of structs may also contain dictionaries with keys in Python's style. In
 * pacmak's code only a single struct may be one: jsii would drop such keys inside of a list, and unknown ones, without an error.
 *
 * @throws Error if the code has no such list, or a method with one begins in another form
 */
export function withDictionariesInLists(code: string): string {
  const lists = [...code.matchAll(LIST)];
  if (lists.length === 0) throw new Error("pacmak writes lists of structs in another form: correct LIST");
  return lists.reduceRight((text, { index, 1: name = "", 2: struct = "" }) => {
    const at = text.indexOf(BODY, index);
    const next = text.indexOf(METHOD, index);
    if (at < 0 || (next >= 0 && next < at)) throw new Error("pacmak begins methods in another form: correct BODY");
    return `${text.slice(0, at)}${conversion(name, struct)}${text.slice(at)}`;
  }, code);
}

function conversion(name: string, struct: string): string {
  const items = `[${struct}(**each) if isinstance(each, dict) else each for each in ${name}]`;
  return `        if isinstance(${name}, (list, tuple)):\n            ${name} = ${items}\n`;
}
