/** Environment variables that are no flags: what is wrong with them. */

import { allProviders, FLAGS, nearest } from "cdk8s-flipop/api";
import { withScheme } from "./http/connector.js";

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

const PROXY_VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** Without this check, the first call fails, and its message does not name the variable. */
function wrongUrls(env: Environment): readonly string[] {
  const ofApis = allProviders().map(({ urlVariable }) => wrongUrl(urlVariable, env[urlVariable]));
  const ofProxies = PROXY_VARIABLES.map((name) => wrongUrl(name, withScheme(env[name] ?? "")));
  return [...ofApis, ...ofProxies].filter((problem) => problem !== undefined);
}

function wrongUrl(name: string, value: string | undefined): string | undefined {
  const url = value?.trim() ?? "";
  if (url === "" || (URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol))) return undefined;
  const shown = url.replace(/\/\/[^/@]*@/, "//***@");
  return `${name}: "${shown}" is not an http or https URL: correct it, as in https://example.com, or unset it`;
}
