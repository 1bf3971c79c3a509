import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { defaultNotices, shownNotices } from "../model/notices/notice-settings.ts";
import { memberOf } from "./member-of.ts";

export const showSettings = useCase("notices.showSettings", function* (unit, caller: BoardCaller) {
  const settings = (yield* unit.notices.settings(caller.userId)) ?? defaultNotices;
  return settings.companies.length === 0 ? settings : shownNotices(settings, yield* memberOf(unit, caller));
});
