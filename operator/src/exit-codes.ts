/** What the exit code of a command says. */

/** A command line or a variable that can't be understood, as shells use it. */
export const USAGE = 2;
/** As shells tell of a program that Ctrl-C ended. */
export const INTERRUPTED = 130;
/** As shells report a program that wrote to a closed pipe. */
export const NO_READER = 141;

export interface ExitMeaning {
  readonly code: number;
  readonly run: string;
  readonly sandbox: string;
}

/** Every exit code; empty: never. */
export const EXIT_MEANINGS: readonly ExitMeaning[] = [
  {
    code: 0,
    run: "ended by SIGTERM or SIGINT, with runs under way finished or given up",
    sandbox: "all held that must hold; or `--only` was ended by a signal",
  },
  {
    code: 1,
    run: "could not start (no cluster, no provider, a port that is taken, caches that did not sync), or a part of it failed; the log says why",
    sandbox: "something did not hold, the scenario can't be played, or a port or file can't be had",
  },
  { code: USAGE, run: "flags or variables can't be understood", sandbox: "flags can't be understood" },
  { code: 3, run: "the Lease was lost: to be started again, as Kubernetes does", sandbox: "" },
  {
    code: INTERRUPTED,
    run: "a second signal, SIGINT, ended it at once",
    sandbox: "Ctrl-C or SIGTERM before the story's end",
  },
  {
    code: NO_READER,
    run: "the reader of its output has closed the pipe, as in `flipop --help | head -1`",
    sandbox: "as with `run`",
  },
  { code: 143, run: "a second signal, SIGTERM, ended it at once", sandbox: "" },
];
