import * as Result from "effect/Result";
import { ReferenceNotFound, ValidationFailed } from "../shared/failure.ts";
import type { CompanyId } from "../shared/ids.ts";
import { type NoticeChannelName, type NoticeKind, noticeChannels } from "./notice-kind.ts";
import { isTimeZone, type QuietHours, type TimeOfDay } from "./quiet-hours.ts";

export interface ChannelSettings {
  readonly kinds: readonly NoticeKind[];
  /** How long a subject must have waited until its notice is sent. */
  readonly graceSec: number;
}

/** The notices that a person gets of one company, in place of those that apply to all. */
export interface CompanyNotices {
  readonly companyId: CompanyId;
  readonly kinds: Readonly<Record<NoticeChannelName, readonly NoticeKind[]>>;
}

/** Which notices a person gets, when, and by which channels. */
export interface NoticeSettings {
  readonly channels: Readonly<Record<NoticeChannelName, ChannelSettings>>;
  readonly companies: readonly CompanyNotices[];
  readonly timeZone: string;
  readonly quietHours: QuietHours | null;
  /** The local time of the daily digest. */
  readonly digestAt: TimeOfDay;
}

/** Of what waits for the decision of the person, and of sign-ins that they may not have made; of nothing else. */
export const defaultNotices: NoticeSettings = {
  channels: {
    push: { kinds: ["decision", "sign_in"], graceSec: 5 },
    email: { kinds: ["decision", "sign_in"], graceSec: 60 },
    chat: { kinds: ["decision", "sign_in"], graceSec: 60 },
  },
  companies: [],
  timeZone: "UTC",
  quietHours: null,
  digestAt: "08:00",
};

export const isWanted = (
  { channels, companies }: NoticeSettings,
  channel: NoticeChannelName,
  kind: NoticeKind,
  companyId: CompanyId | null,
): boolean => {
  const own = companies.find((each) => each.companyId === companyId);
  return (own === undefined ? channels[channel].kinds : own.kinds[channel]).includes(kind);
};

/** The digest is about all companies. */
export const wantsDigest = (settings: NoticeSettings): boolean =>
  noticeChannels.some((channel) => isWanted(settings, channel, "digest", null));

/** The settings without companies that the person has left, which they could not save again. */
export const shownNotices = (
  settings: NoticeSettings,
  isMember: (companyId: CompanyId) => boolean,
): NoticeSettings => ({
  ...settings,
  companies: settings.companies.filter(({ companyId }) => isMember(companyId)),
});

/** Returns the settings, or names the first field that can't be. `isMember`: whether the person is in the company. */
export const checkedNotices = (
  settings: NoticeSettings,
  isMember: (companyId: CompanyId) => boolean,
): Result.Result<NoticeSettings, ReferenceNotFound | ValidationFailed> => {
  const fault = (path: readonly (string | number)[], message: string) =>
    Result.fail(new ValidationFailed([{ path, code: "custom", message }]));
  if (!isTimeZone(settings.timeZone))
    return fault(["timeZone"], "must be an IANA time zone such as Europe/Berlin");
  for (const [n, { companyId }] of settings.companies.entries()) {
    if (!isMember(companyId)) return Result.fail(ReferenceNotFound.at(`companies.${n}.companyId`));
    if (settings.companies.findIndex((each) => each.companyId === companyId) !== n)
      return fault(["companies", n, "companyId"], "is named twice");
  }
  return Result.succeed(settings);
};
