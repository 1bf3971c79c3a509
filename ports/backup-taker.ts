import type * as Effect from "effect/Effect";

/** The backup was not taken, or a file not deleted. The message is for the operator. */
export class BackupNotTaken extends Error {}

/** Takes backups into the place that the operator's settings name. */
export interface BackupTaker {
  /** Returns once the file is stored completely. `missing`: how many files of the database the store has lost. */
  take(): Effect.Effect<
    { readonly file: string; readonly bytes: number; readonly missing: number },
    BackupNotTaken
  >;
  /** Deletes a file that `take` returned; succeeds where it is gone. */
  remove(file: string): Effect.Effect<void, BackupNotTaken>;
}
