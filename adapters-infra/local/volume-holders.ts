import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { ServiceId } from "../../core/model/shared/ids.ts";

/** In a folder of the volume: a file for each service that holds it. */
const holdersFolder = ".boardroom-services";
/** Files of services that were killed. */
const forgottenAfterMs = 24 * 3_600_000;

/** Shows other services with the volume that this one uses the same disk, not a copy. */
export interface VolumeHolders {
  /** Renews the file of a service, as often as it renews its lease. */
  renew(id: ServiceId, leaseSec: number): Effect.Effect<void>;
  remove(id: ServiceId): Effect.Effect<void>;
  /** Returns those of some live services that do not renew their files here. */
  missing(ids: readonly ServiceId[]): Effect.Effect<readonly ServiceId[]>;
}

export const volumeHolders = (folder: string): VolumeHolders => {
  const holders = join(folder, holdersFolder);
  const fileOf = (id: string) => join(holders, id);
  /** A failure is not reported: without a disk, agents cannot work either. */
  const remove = (id: string) => rm(fileOf(id), { force: true }).catch(() => undefined);
  /** Returns its age in leases by the clock of the disk, which may be another machine's. */
  const ageOf = async (id: string, nowMs: number) => {
    const [{ mtimeMs }, text] = await Promise.all([stat(fileOf(id)), readFile(fileOf(id), "utf8")]);
    return (nowMs - mtimeMs) / 1000 / Number(text);
  };
  return {
    renew: (id, leaseSec) =>
      Effect.promise(() => write(holders, fileOf(id), leaseSec).catch(() => undefined)),
    remove: (id) => Effect.promise(() => remove(id)),
    missing: (ids) =>
      Effect.promise(async () => {
        const probe = `probe-${process.pid}`;
        try {
          await write(holders, fileOf(probe), 0);
          const { mtimeMs: nowMs } = await stat(fileOf(probe));
          for (const name of await readdir(holders))
            if (nowMs - (await stat(fileOf(name))).mtimeMs > forgottenAfterMs) await remove(name);
          const ages = await Promise.all(ids.map((id) => ageOf(id, nowMs).catch(() => Infinity)));
          return ids.filter((_, n) => !((ages[n] ?? Infinity) < 2));
        } catch {
          // The disk does not answer, which says nothing about the others.
          return [];
        } finally {
          await remove(probe);
        }
      }),
  };
};

/** Does not shorten the file first, so that it works on a full disk. */
const write = async (holders: string, path: string, leaseSec: number): Promise<void> => {
  await mkdir(holders, { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    await file.write(String(leaseSec), 0);
  } finally {
    await file.close();
  }
};
