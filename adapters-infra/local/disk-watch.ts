import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { attempt } from "./attempt.ts";
import { descendants } from "./process-memory.ts";

/** The source of the figures; tests replace it. */
export interface DiskReadings {
  /** Bytes in use on the file systems of the folders, by everybody. */
  used(): Promise<number>;
  /** Bytes that the folders hold, and files that the run holds open without a name. null: it takes too long. */
  held(): Promise<number | null>;
}

/** Tells whether a run has added more than it may. */
export interface DiskWatch {
  isOver(): Promise<boolean>;
}

/** The folders are measured when their file systems have grown by this part of the limit. */
const steps = 8;
/** A measurement that takes longer is aborted. */
const measureMs = 60_000;
/** How much longer than a measurement took is waited before the next one. */
const restPerMeasure = 10;
/** Runs that begin together share a reading of their file systems. */
const sharedMs = 100;

/**
 * Measures the folders only when the disk fills: as long as their file systems do not grow, nothing needs to be read but
 * their free space. What the folders held at the start is estimated at the first measurement, as if the run had written
 * all that has been added since; so a run is ended up to one step early where others write, too.
 */
export const diskWatch = (maxBytes: number, { used, held }: DiskReadings): DiskWatch => {
  let lowest = Number.POSITIVE_INFINITY;
  let before: number | null = null;
  let restUntil = 0;
  return {
    isOver: async () => {
      const now = await used();
      lowest = Math.min(lowest, now);
      const from = performance.now();
      if (now - lowest < maxBytes / steps || from < restUntil) return false;
      const holds = await held();
      const took = performance.now() - from;
      restUntil = from + took * (1 + restPerMeasure);
      if (holds === null) return false;
      before ??= Math.max(0, holds - (now - lowest));
      lowest = now;
      return holds - before > maxBytes;
    },
  };
};

const readings = new Map<number, { readonly at: number; readonly used: Promise<number> }>();

/** Bytes in use on a file system, at most so long ago; 0 where it cannot be read. */
const usedOf = (device: number, folder: string): Promise<number> => {
  const last = readings.get(device);
  if (last !== undefined && performance.now() - last.at < sharedMs) return last.used;
  const used = statfs(folder).then(
    ({ blocks, bfree, bsize }) => (blocks - bfree) * bsize,
    () => 0,
  );
  readings.set(device, { at: performance.now(), used });
  return used;
};

/** Measures the folders of a run with `du`, which is faster than this process and does not hold it up. */
export const diskReadings = (folders: readonly string[], pid: number): DiskReadings => {
  const systems = new Map<number, string>();
  for (const folder of folders) {
    const found = attempt(() => statSync(folder));
    if (found !== null) systems.set(found.dev, folder);
  }
  return {
    used: async () => {
      let bytes = 0;
      for (const [device, folder] of systems) bytes += await usedOf(device, folder);
      return bytes;
    },
    held: () =>
      new Promise((resolve) => {
        // Its complaints may be without end: folders that an agent has closed, names as long as they can be.
        const script = 'exec du -skx -- "$@" 2>/dev/null';
        execFile("/bin/sh", ["-c", script, "du", ...folders], { timeout: measureMs }, async (error, text) => {
          // Files may vanish meanwhile.
          if (error?.killed === true || text === "") return resolve(null);
          const kilobytes = text.split("\n").map((line) => Number.parseInt(line, 10) || 0);
          const named = 1024 * kilobytes.reduce((sum, each) => sum + each, 0);
          resolve(named + (await unnamedBytes(descendants(pid), systems)));
        });
      }),
  };
};

/** Descriptors that are read. */
const maxDescriptors = 20_000;

/** Bytes of deleted files on the file systems that the processes hold open. */
const unnamedBytes = async (
  pids: readonly number[],
  systems: ReadonlyMap<number, string>,
): Promise<number> => {
  const sizes = new Map<string, number>();
  let left = maxDescriptors;
  for (const pid of pids) {
    const files = await readdir(`/proc/${pid}/fd`).catch((): string[] => []);
    for (const file of files.slice(0, left)) {
      // One after the other: of the service's threads one alone waits.
      const found = await stat(`/proc/${pid}/fd/${file}`).catch(() => null);
      if (found?.isFile() && found.nlink === 0 && systems.has(found.dev))
        sizes.set(`${found.dev}/${found.ino}`, found.blocks * 512);
    }
    left -= Math.min(left, files.length);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
};
