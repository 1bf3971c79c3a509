import * as Effect from "effect/Effect";
import type { VolumeHolders } from "../../adapters-infra/local/volume-holders.ts";
import type { VolumeId } from "../../core/model/shared/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { StartFailed } from "./start-failed.ts";

/** Refuses to start on a copy of the workspaces that another service uses: agents would change between the two disks. */
export const refuseCopy = Effect.fnUntraced(function* (
  transactor: Transactor,
  holders: VolumeHolders,
  volume: VolumeId,
  dataDir: string,
) {
  const others = yield* transactor.transact(({ services }) => services.holding(volume));
  const [missing] = yield* holders.missing(others.map(({ id }) => id));
  if (missing === undefined) return;
  const host = others.find(({ id }) => id === missing)?.host;
  return yield* new StartFailed({
    message: `The workspaces in ${dataDir} are a copy of those that a service on ${host} uses now. If agents are to work in both, delete .boardroom-volume in workspaces/ and homes/ of the copy, and start again; if both are one shared folder, check that this machine sees its current files.`,
  });
});
