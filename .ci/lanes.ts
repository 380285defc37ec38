/** A piece of work in a queue. */
interface Piece {
  readonly name: string;
  /** The name of the piece that must have ended before this one starts. */
  readonly needs?: string;
}

/**
 * Runs the pieces, at most `lanes` at a time. A free lane takes the first piece that waits for no other. Resolves to the
 * results in the order of the pieces; rejects if what is left waits for itself.
 */
export async function runInLanes<P extends Piece, R>(
  pieces: readonly P[],
  lanes: number,
  run: (piece: P) => Promise<R>,
): Promise<readonly R[]> {
  const waiting = [...pieces];
  const results = new Map<string, R>();
  const running = new Map<string, Promise<void>>();
  const names = new Set(pieces.map(({ name }) => name));
  const isReady = ({ needs }: P): boolean => needs === undefined || !names.has(needs) || results.has(needs);

  while (results.size < pieces.length) {
    const next = running.size < lanes ? waiting.findIndex(isReady) : -1;
    const [piece] = next < 0 ? [] : waiting.splice(next, 1);
    if (piece !== undefined) {
      const end = (result: R): void => {
        results.set(piece.name, result);
        running.delete(piece.name);
      };
      running.set(piece.name, run(piece).then(end));
    } else if (running.size > 0) await Promise.race(running.values());
    else throw new Error(`these wait for each other: ${waiting.map(({ name }) => name).join(", ")}`);
  }
  return pieces.map(({ name }) => results.get(name) as R);
}
