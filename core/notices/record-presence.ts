import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { presenceSec } from "../model/notices/notice.ts";
import { addSeconds } from "../model/shared/instant.ts";

export interface NotePresence {
  readonly caller: BoardCaller;
  /** Whether the person stays on the page. */
  readonly stays: boolean;
}

/** Notes that the caller sees what waits for them on an open page: no notice of it is sent. */
export const recordPresence = useCase(
  "notices.notePresence",
  function* (unit, { caller, stays }: NotePresence) {
    yield* unit.notices.savePresence(caller.userId, {
      seenAt: unit.at,
      presentUntil: stays ? addSeconds(unit.at, presenceSec) : unit.at,
    });
  },
);
