import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const inMemory = "/dev/shm";
const roomBytes = 8 * 1024 ** 3;

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize > roomBytes;
  } catch {
    return false;
  }
};

/**
 * Where clusters of PostgreSQL are laid: in memory if it has room, since the two thousand files of one cost a disk ten times
 * the processor time. Not for folders of agents that are kept apart: they have a `/dev` of their own.
 */
export const memoryFolder = (): string => (hasRoom() ? inMemory : tmpdir());
