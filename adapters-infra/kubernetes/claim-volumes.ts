import type { EngineVolumes, FoundVolume } from "../runner-helper/engine-issue-workspaces.ts";
import type { Claim, Cluster } from "./cluster.ts";

/** The volumes of workspaces in a namespace: claims. */
export const claimVolumes = (cluster: Pick<Cluster, "claim" | "claims" | "deleteClaim">): EngineVolumes => ({
  inspect: async (name) => {
    const found = await cluster.claim(name);
    return found === null ? null : foundOf(found);
  },
  find: async (labels) => (await cluster.claims(labels)).map(foundOf),
  remove: ({ name, uid }) => cluster.deleteClaim(name, uid),
});

const foundOf = ({ metadata: { name, uid, creationTimestamp = "" } }: Claim): FoundVolume => ({
  name,
  uid,
  madeAt: Date.parse(creationTimestamp),
});
