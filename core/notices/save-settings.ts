import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { checkedNotices, type NoticeSettings } from "../model/notices/notice-settings.ts";
import { memberOf } from "./member-of.ts";

export interface SaveNoticeSettings {
  readonly caller: BoardCaller;
  readonly settings: NoticeSettings;
}

/** Replaces the settings of the caller. They apply to notices that are not sent yet, too. */
export const saveSettings = useCase(
  "notices.saveSettings",
  function* (unit, { caller, settings }: SaveNoticeSettings) {
    const checked = yield* Effect.fromResult(checkedNotices(settings, yield* memberOf(unit, caller)));
    yield* unit.notices.saveSettings(caller.userId, checked);
    return checked;
  },
);
