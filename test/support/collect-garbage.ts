import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** V8's collection of all garbage in this process. A local variable of a running function keeps its object alive. */
export const collectGarbage = runInNewContext("gc") as () => void;
