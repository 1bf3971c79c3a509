import type { OpenLog } from "../runner-helper/follow-log.ts";
import type { Cluster } from "./cluster.ts";

/** The API server counts in whole seconds, and clocks of nodes are corrected now and then. */
const overlapMs = 2_000;

/** The log of a pod's one container. */
export const podLog =
  ({ api, podPath }: Cluster, name: string): OpenLog =>
  (fromMs, follow, signal) => {
    const since = fromMs === null ? "" : `&sinceTime=${new Date(fromMs - overlapMs).toISOString()}`;
    return api.follow(`${podPath(name)}/log?container=agent&follow=${follow}${since}`, signal);
  };
