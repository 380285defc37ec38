import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of objects in use after a full collection; not of compiled code, which comes and goes as the optimizer likes. */
export function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
  gc();
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => !/code|trusted/.test(space_name))
    .reduce((bytes, space) => bytes + space.space_used_size, 0);
}
