import type { Instant } from "../shared/instant.ts";
import type { Notice, NoticeSubject } from "./notice.ts";
import { type NoticeSettings, wantsDigest } from "./notice-settings.ts";
import { firstMinute, localTime } from "./quiet-hours.ts";

const digestSubject = "digest";

/** The day of the digest that is due; null: none. `lastDay`: of the digest before. */
export const digestDay = (settings: NoticeSettings, lastDay: string | null, at: Instant): string | null => {
  if (!wantsDigest(settings)) return null;
  const { day, time } = localTime(at, settings.timeZone);
  return time >= settings.digestAt && (lastDay === null || day > lastDay) ? day : null;
};

/** When the digest after that of the day is due. */
export const nextDigestAt = (
  settings: NoticeSettings,
  lastDay: string | null,
  at: Instant,
): Instant | null =>
  !wantsDigest(settings)
    ? null
    : firstMinute(
        at,
        settings.timeZone,
        ({ day, time }) => time >= settings.digestAt && (lastDay === null || day > lastDay),
      );

/**
 * The digest as a subject of its own: that of the day, or the one before as long as something waits. It is silent where
 * nothing does.
 */
export const digestSubjects = (
  day: string | null,
  waiting: number,
  notices: readonly Notice[],
): readonly NoticeSubject[] => {
  const former = notices.find(({ subject, closedAt }) => subject === digestSubject && closedAt === null);
  const version = day ?? former?.version;
  return waiting === 0 || version === undefined
    ? []
    : [{ subject: digestSubject, version, kind: "digest", companyId: null, waitingSince: null }];
};
