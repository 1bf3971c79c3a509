import * as Effect from "effect/Effect";
import { diskReadings, diskWatch } from "./disk-watch.ts";
import { memoryWatch } from "./process-memory.ts";

/** Limits that this process watches. null: none, or the kernel keeps it. */
export interface SampledLimits {
  readonly maxMemoryBytes: number | null;
  /** The limit of what a run adds to its folders. */
  readonly maxDiskBytes: number | null;
}

/** Interval between two checks of a program. */
const pollMs = 2_000;

/** Waits until a program and its descendants hold too much memory. */
export const tooMuchMemory = (
  pid: number,
  maxBytes: number | null,
  sharedBefore: number,
): Effect.Effect<void> =>
  maxBytes === null
    ? Effect.never
    : Effect.suspend(() => {
        const { isOver } = memoryWatch(pid, maxBytes, sharedBefore);
        // A program that has just begun has nothing, and most end before the first poll.
        return Effect.promise(isOver).pipe(
          Effect.delay(pollMs),
          Effect.repeat({ until: (over) => over }),
          Effect.asVoid,
        );
      });

/** Waits until a program and its descendants have added too much to the folders. */
export const tooMuchDisk = (
  pid: number,
  folders: readonly string[],
  maxBytes: number | null,
): Effect.Effect<void> =>
  maxBytes === null
    ? Effect.never
    : Effect.suspend(() => {
        const { isOver } = diskWatch(maxBytes, diskReadings(folders, pid));
        return Effect.promise(isOver).pipe(
          Effect.tap((over) => (over ? Effect.void : Effect.sleep(pollMs))),
          Effect.repeat({ until: (over) => over }),
          Effect.asVoid,
        );
      });

/** The working directory and the home of a program. */
export const foldersOf = (cwd: string, { HOME }: Readonly<Record<string, string>>): readonly string[] =>
  HOME === undefined || HOME === cwd ? [cwd] : [cwd, HOME];
