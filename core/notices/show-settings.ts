import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { defaultNotices } from "../model/notices/notice-settings.ts";

export const showSettings = useCase("notices.showSettings", function* (unit, caller: BoardCaller) {
  return (yield* unit.notices.settings(caller.userId)) ?? defaultNotices;
});
