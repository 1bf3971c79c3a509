import type { OpenLog } from "../runner-helper/follow-log.ts";
import type { Cluster } from "./cluster.ts";

/** The log of a pod's one container. */
export const podLog =
  ({ api, podPath }: Cluster, name: string): OpenLog =>
  (sinceMs, follow, signal) => {
    const since = sinceMs === null ? "" : `&sinceTime=${new Date(sinceMs).toISOString()}`;
    return api.follow(`${podPath(name)}/log?container=agent&follow=${follow}${since}`, signal);
  };
