import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { checkedNotices, type NoticeSettings } from "../model/notices/notice-settings.ts";

export interface SaveNoticeSettings {
  readonly caller: BoardCaller;
  readonly settings: NoticeSettings;
}

/** Replaces the settings of the caller. They apply to notices that are not sent yet, too. */
export const saveSettings = useCase(
  "notices.saveSettings",
  function* (unit, { caller: { userId, admin, roles }, settings }: SaveNoticeSettings) {
    const known = admin ? new Set((yield* unit.access.companiesByPrefix()).map(({ id }) => id)) : roles;
    const checked = yield* Effect.fromResult(checkedNotices(settings, (id) => known.has(id)));
    yield* unit.notices.saveSettings(userId, checked);
    return checked;
  },
);
