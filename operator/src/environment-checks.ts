/** Environment variables that are no flags: what is wrong with them. */

import { allProviders, FLAGS, nearest, PROXY_VARIABLES, urlProblem } from "cdk8s-flipop/api";

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = "FLIPOP_";
/** The variables that Kubernetes sets in each container for the Services `flipop` and `flipop-...` of its namespace. */
const OF_A_SERVICE =
  /^FLIPOP_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** What is wrong with variables that stand for no flag, one line each. */
export function variableProblems(env: Environment): readonly string[] {
  return [...misspelt(env), ...wrongUrls(env)];
}

/** A misspelt variable would be a setting that does nothing, `FLIPOP_DRYRUN` for one. */
function misspelt(env: Environment): readonly string[] {
  return unknownNames(env).flatMap((name) => {
    const meant = meantBy(name);
    return meant === undefined ? [] : [`there is no variable ${name}: did you mean ${meant}?`];
  });
}

/** Those that are like none of the operator's: somebody else's, perhaps. */
export function unknownVariables(env: Environment): readonly string[] {
  return unknownNames(env).filter((name) => meantBy(name) === undefined);
}

function unknownNames(env: Environment): readonly string[] {
  const names = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !OF_A_SERVICE.test(name));
  return names.filter((name) => !FLAGS.some((flag) => flag.env === name)).sort();
}

function meantBy(name: string): string | undefined {
  const words = FLAGS.map(({ env }) => env.slice(PREFIX.length));
  const meant = nearest(name.slice(PREFIX.length), words);
  return meant === undefined ? undefined : `${PREFIX}${meant}`;
}

/** Without this check, the first call fails, and its message does not name the variable. */
function wrongUrls(env: Environment): readonly string[] {
  const names = [...allProviders().map(({ urlVariable }) => urlVariable), ...PROXY_VARIABLES];
  return names.flatMap((name) => {
    const problem = urlProblem(name, env[name] ?? "");
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
}
