import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Check } from "./check.ts";

const mebibyte = 1024 * 1024;

/** A database that cannot write refuses every change, so there is a word about it while there still is room. */
export const roomLeft = (dataDir: string, freeBytes: number): Check => {
  const check = "disk";
  const free = Math.floor(freeBytes / mebibyte);
  const message = `${free >= 10_240 ? `${Math.floor(free / 1024)} GiB` : `${free} MiB`} free for ${dataDir}`;
  const hint = "Make room there, or move the directory and name it with SERVICE_DATA_DIR.";
  if (free < 100) return { level: "fail", check, message, hint };
  return free < 1024 ? { level: "warn", check, message, hint } : { level: "ok", check, message };
};

/** Of the nearest directory above that is there. */
export const checkDisk = async (dataDir: string): Promise<Check> => {
  for (let place = dataDir; ; place = dirname(place)) {
    const found = await statfs(place).catch(() => null);
    if (found !== null) return roomLeft(dataDir, found.bavail * found.bsize);
    if (dirname(place) === place)
      return { level: "warn", check: "disk", message: `nobody can say what is free for ${dataDir}` };
  }
};
