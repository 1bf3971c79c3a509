import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Check } from "./check.ts";

const mebibyte = 1024 * 1024;

/** Judges the free space. A database without space refuses every change, so the check warns early. */
export const roomLeft = (dataDir: string, freeBytes: number): Check => {
  const check = "disk";
  const free = Math.floor(freeBytes / mebibyte);
  const message = `${free >= 10_240 ? `${Math.floor(free / 1024)} GiB` : `${free} MiB`} free for ${dataDir}`;
  const hint = "Free up space, or move the directory and set SERVICE_DATA_DIR.";
  if (free < 100) return { level: "fail", check, message, hint };
  return free < 1024 ? { level: "warn", check, message, hint } : { level: "ok", check, message };
};

/** Checks the disk of the data directory, or of its nearest existing parent. */
export const checkDisk = async (dataDir: string): Promise<Check> => {
  for (let directory = dataDir; ; directory = dirname(directory)) {
    const found = await statfs(directory).catch(() => null);
    if (found !== null) return roomLeft(dataDir, found.bavail * found.bsize);
    if (dirname(directory) === directory)
      return { level: "warn", check: "disk", message: `the free space of ${dataDir} cannot be read` };
  }
};
