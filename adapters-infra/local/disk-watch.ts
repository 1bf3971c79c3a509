import { constants } from "node:fs";
import { readdir, readFile, readlink, stat, statfs } from "node:fs/promises";
import { boundedOutput, boundedReads, type OutputOf } from "./bounded-output.ts";
import { descendants } from "./process-memory.ts";

/** The source of the figures; tests replace it. */
export interface DiskReadings {
  /** Bytes in use on the file systems of the folders, by everybody. null: they do not answer. */
  used(): Promise<number | null>;
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
/** Runs share a reading of their file systems. */
const sharedMs = 1_000;
/** Runs of an agent share what file systems its folders are on, which only an operator changes. */
const devicesMs = 60_000;
const maxDevices = 10_000;

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
      if (now === null) return false;
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

/** Measures the folders of a run by programs, which wait in place of this process where a file system does not answer. */
export const diskReadings = (folders: readonly string[], pid: number): DiskReadings => {
  const outputOf = boundedOutput();
  let known: ReadonlyMap<number, string> | null = null;
  const systems = async () => {
    known ??= await systemsOf(folders, outputOf);
    return known;
  };
  return {
    used: async () => {
      const found = await systems();
      if (found === null) return null;
      let bytes = 0;
      for (const [device, folder] of found) {
        const used = await usedOf(device, folder, outputOf);
        if (used === null) return null;
        bytes += used;
      }
      return bytes;
    },
    held: async () => {
      // Its complaints may be without end: folders that an agent has closed, names as long as they can be.
      const script = 'exec du -skx -- "$@" 2>/dev/null';
      const text = await outputOf("/bin/sh", ["-c", script, "du", ...folders], measureMs);
      // Files may vanish meanwhile.
      if (text === null || text === "") return null;
      const kilobytes = text.split("\n").map((line) => Number.parseInt(line, 10) || 0);
      const named = 1024 * kilobytes.reduce((sum, each) => sum + each, 0);
      return named + (await unnamedBytes(descendants(pid), (await systems()) ?? new Map(), outputOf));
    },
  };
};

const readFolder = boundedReads(1);

/**
 * The file systems of the folders, each by one of these; null: they do not answer. A program reads them only where one
 * does not answer at once: to start one for each run costs the service half as much as the run.
 */
const systemsOf = async (
  folders: readonly string[],
  outputOf: OutputOf,
): Promise<ReadonlyMap<number, string> | null> => {
  const asked = await Promise.all(folders.map(deviceOf));
  if (asked.every((device) => device !== null))
    return new Map(asked.map((device, n) => [device, folders[n]!] as const));
  const text = await outputOf("stat", ["-L", "--printf", "%d %n\\0", "--", ...folders]);
  if (text === null) return null;
  const found = text.split("\0").flatMap((line) => {
    const [, device, folder] = /^(\d+) (.+)$/s.exec(line) ?? [];
    return folder === undefined ? [] : [[Number(device), folder] as const];
  });
  return new Map(found);
};

const devices = new Map<string, { readonly at: number; readonly device: number }>();

const deviceOf = async (folder: string): Promise<number | null> => {
  const last = devices.get(folder);
  if (last !== undefined && performance.now() - last.at < devicesMs) return last.device;
  const found = await readFolder(folder, (path) => stat(path));
  if (found === null) return null;
  if (devices.size >= maxDevices) devices.clear();
  devices.set(folder, { at: performance.now(), device: found.dev });
  return found.dev;
};

const readings = new Map<number, { readonly at: number; readonly used: Promise<number | null> }>();

/** Bytes in use on a file system, at most so long ago; null where it does not answer. */
const usedOf = (device: number, folder: string, outputOf: OutputOf): Promise<number | null> => {
  const last = readings.get(device);
  if (last !== undefined && performance.now() - last.at < sharedMs) return last.used;
  const used = readUsed(device, folder, outputOf);
  readings.set(device, { at: performance.now(), used });
  return used;
};

/** File systems with the size of the blocks that they count, which Node does not tell: on ZFS it is not that of files. */
const counted = new Map<number, { readonly size: number; readonly all: number }>();

const readUsed = async (device: number, folder: string, outputOf: OutputOf): Promise<number | null> => {
  const known = counted.get(device);
  const found = known === undefined ? null : await readFolder(folder, (path) => statfs(path));
  if (known !== undefined && found?.blocks === known.all) return known.size * (known.all - found.bfree);
  const text = await outputOf("stat", ["-f", "-c", "%S %b %f", "--", folder]);
  const [size = Number.NaN, all = 0, free = 0] = (text ?? "").trim().split(" ").map(Number);
  const bytes = size * (all - free);
  if (text === null || text === "" || Number.isNaN(bytes)) return null;
  counted.set(device, { size, all });
  return bytes;
};

/** Descriptors that are read. */
const maxDescriptors = 20_000;

/** Bytes of deleted files on the file systems that the processes hold open. */
const unnamedBytes = async (
  pids: readonly number[],
  systems: ReadonlyMap<number, string>,
  outputOf: OutputOf,
): Promise<number> => {
  const paths: string[] = [];
  let remaining = maxDescriptors;
  for (const pid of pids) {
    const files = await readdir(`/proc/${pid}/fd`).catch((): string[] => []);
    const answering = files.length === 0 ? null : await mountsThatAnswer(pid);
    for (const file of files.slice(0, remaining)) {
      const link = await readlink(`/proc/${pid}/fd/${file}`).catch(() => "");
      // The kernel's own words about the descriptor: its file system is not asked.
      if (link.endsWith(" (deleted)") && answering?.has(await mountOf(pid, file)) === true)
        paths.push(`/proc/${pid}/fd/${file}`);
    }
    remaining -= Math.min(remaining, files.length);
  }
  if (paths.length === 0) return 0;
  const text = (await outputOf("stat", ["-L", "-c", "%f %h %d %i %b", "--", ...paths])) ?? "";
  const sizes = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [mode = "", links, device, file, blocks] = line.split(" ");
    const isFile = (Number.parseInt(mode, 16) & constants.S_IFMT) === constants.S_IFREG;
    if (isFile && links === "0" && systems.has(Number(device)))
      sizes.set(`${device}/${file}`, Number(blocks) * 512);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
};

/** The mounts of a process whose file systems are the kernel's own: those of FUSE are a program's, maybe the run's. */
const mountsThatAnswer = async (pid: number): Promise<ReadonlySet<string>> => {
  const text = await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => "");
  return new Set(
    text.split("\n").flatMap((line) => {
      const [id = ""] = line.split(" ", 1);
      return / - fuse/.test(line) ? [] : [id];
    }),
  );
};

const mountOf = async (pid: number, file: string): Promise<string> =>
  /^mnt_id:\s+(\d+)$/m.exec(await readFile(`/proc/${pid}/fdinfo/${file}`, "utf8").catch(() => ""))?.[1] ?? "";
