import type { CompanyId, NoticeId, UserId } from "../shared/ids.ts";
import { addSeconds, type Instant } from "../shared/instant.ts";
import { type NoticeChannelName, type NoticeKind, noticeChannels } from "./notice-kind.ts";
import { isWanted, type NoticeSettings } from "./notice-settings.ts";
import { quietUntil } from "./quiet-hours.ts";

/**
 * Where a notice is in one channel. `due`: to be sent. `sent`: on the person's devices. `withdrawing`: to be removed from them.
 * `over`: nothing is left to do.
 */
const noticeStates = ["due", "sent", "withdrawing", "over"] as const;
export type NoticeState = (typeof noticeStates)[number];

export interface NoticeSending {
  readonly state: NoticeState;
  /** null where nothing is to be done. */
  readonly dueAt: Instant | null;
  /** Failures in a row. */
  readonly failures: number;
  /** When it last went out; null: never. */
  readonly sentAt: Instant | null;
}

/** The notice to a person about one subject: the same one is updated. */
export interface Notice {
  readonly id: NoticeId;
  readonly userId: UserId;
  readonly companyId: CompanyId | null;
  /** The id of an entry of the inbox, or `digest`. */
  readonly subject: string;
  /** Of the entry: another one is news. */
  readonly version: string;
  readonly kind: NoticeKind;
  /** When this version was found. */
  readonly noticedAt: Instant;
  /** When the subject was found to be decided. */
  readonly closedAt: Instant | null;
  readonly sendings: Readonly<Partial<Record<NoticeChannelName, NoticeSending>>>;
}

/** A subject that waits for the person now. */
export interface NoticeSubject extends Pick<Notice, "subject" | "version" | "kind" | "companyId"> {
  /** null: since it was found. */
  readonly waitingSince: Instant | null;
}

/** Whether the person looks at the page. */
export interface Presence {
  /** When the person last looked at an open page. */
  readonly seenAt: Instant | null;
  /** Until then a visible page will tell whether they still look. */
  readonly presentUntil: Instant | null;
}

/** For how long a page's report counts, which it repeats more often. */
export const presenceSec = 45;
/** How many notices a person gets in an hour by one channel. */
export const mostPerHour = 30;
const hourSec = 3_600;
const firstRetrySec = 10;
const longestRetrySec = 600;
/** No time is set further ahead: one that is was set before the clock was put back. */
const furthestSec = 27 * hourSec;

const over = (sending: NoticeSending): NoticeSending => ({
  ...sending,
  state: "over",
  dueAt: null,
  failures: 0,
});

/** Brings the notices up to date with what waits now. Returns those that changed. */
export const reconciled = (
  former: readonly Notice[],
  subjects: readonly NoticeSubject[],
  parts: {
    readonly userId: UserId;
    readonly settings: NoticeSettings;
    readonly channels: readonly NoticeChannelName[];
    readonly newId: () => NoticeId;
    readonly at: Instant;
  },
): readonly Notice[] => {
  const bySubject = new Map(former.map((notice) => [notice.subject, notice]));
  const news = subjects.flatMap((subject) => {
    const before = bySubject.get(subject.subject);
    bySubject.delete(subject.subject);
    const isSame = before !== undefined && before.closedAt === null && before.version === subject.version;
    return isSame ? [] : [begun(subject, before, parts)];
  });
  const decided = [...bySubject.values()].filter(({ closedAt }) => closedAt === null);
  return [...news, ...decided.map((notice) => closed(notice, parts.at))];
};

/** It counts from the cause, which is found up to a second later; that of a subject that has waited for longer from now. */
const graceBegin = (waitingSince: Instant | null, graceSec: number, at: Instant): Instant =>
  waitingSince !== null && waitingSince > addSeconds(at, -graceSec) && waitingSince < at ? waitingSince : at;

/** Nothing that the person does could make them unnecessary. */
const isAtOnce = (kind: NoticeKind): boolean => kind === "digest" || kind === "sign_in";

const begun = (
  { waitingSince, ...subject }: NoticeSubject,
  before: Notice | undefined,
  { userId, settings, channels, newId, at }: Parameters<typeof reconciled>[2],
): Notice => {
  const sendings = channels
    .filter((channel) => isWanted(settings, channel, subject.kind, subject.companyId))
    .map((channel) => {
      const former = before?.sendings[channel];
      const graceSec = isAtOnce(subject.kind) ? 0 : settings.channels[channel].graceSec;
      const since = before === undefined ? waitingSince : null;
      const dueAt = addSeconds(graceBegin(since, graceSec, at), graceSec);
      return [
        channel,
        {
          state: "due",
          // News that follow fast do not put it off.
          dueAt:
            former?.state === "due" && former.dueAt !== null && former.dueAt < dueAt ? former.dueAt : dueAt,
          failures: 0,
          sentAt: former === undefined || former.state === "over" ? null : former.sentAt,
        } satisfies NoticeSending,
      ] as const;
    });
  return {
    ...subject,
    id: before?.id ?? newId(),
    userId,
    noticedAt: at,
    closedAt: null,
    sendings: { ...before?.sendings, ...Object.fromEntries(sendings) },
  };
};

/** A decision withdraws the notice from where it was sent. */
const closed = (notice: Notice, at: Instant): Notice =>
  withSendings({ ...notice, closedAt: at }, (sending) =>
    sending.sentAt === null || sending.state === "over"
      ? over(sending)
      : { ...sending, state: "withdrawing", dueAt: at, failures: 0 },
  );

const withSendings = (
  notice: Notice,
  change: (sending: NoticeSending, channel: NoticeChannelName) => NoticeSending,
): Notice => ({
  ...notice,
  sendings: Object.fromEntries(
    noticeChannels.flatMap((channel) => {
      const sending = notice.sendings[channel];
      return sending === undefined ? [] : [[channel, change(sending, channel)]];
    }),
  ),
});

const isDue = (dueAt: Instant | null, at: Instant): boolean =>
  dueAt !== null && (dueAt <= at || dueAt > addSeconds(at, furthestSec));

/**
 * Whether a later notice is due while this one has failed and pauses: it is tried first, so that both arrive in order once the
 * receiver is back.
 */
const precedesDue = (
  notices: readonly Notice[],
  { noticedAt, sendings }: Notice,
  channel: NoticeChannelName,
  at: Instant,
): boolean => {
  const sending = sendings[channel]!;
  if (sending.state !== "due" || sending.failures === 0) return false;
  return notices.some((later) => {
    const other = later.sendings[channel];
    return later.noticedAt > noticedAt && other?.state === "due" && isDue(other.dueAt, at);
  });
};

/** A task of a channel. */
export interface Delivery {
  readonly notice: Notice;
  readonly channel: NoticeChannelName;
  readonly action: "send" | "withdraw";
}

/** How many went out in the last hour, by channel, with the oldest of them. */
export type RecentlySent = Readonly<
  Partial<Record<NoticeChannelName, { readonly count: number; readonly oldest: Instant }>>
>;

/** Returns what is due now, and the notices that wait longer or need not be sent any more. */
export const dueDeliveries = (
  notices: readonly Notice[],
  presence: Presence,
  settings: NoticeSettings,
  recently: RecentlySent,
  at: Instant,
): { readonly deliveries: readonly Delivery[]; readonly changed: readonly Notice[] } => {
  const deliveries: Delivery[] = [];
  const counts = new Map<NoticeChannelName, number>();
  const quiet = quietUntil(at, settings.quietHours, settings.timeZone);
  const judge = (notice: Notice, sending: NoticeSending, channel: NoticeChannelName): NoticeSending => {
    if (!isDue(sending.dueAt, at) && !precedesDue(notices, notice, channel, at)) return sending;
    if (sending.state === "withdrawing") {
      deliveries.push({ notice, channel, action: "withdraw" });
      return sending;
    }
    const rest = (): NoticeSending =>
      sending.sentAt === null ? over(sending) : { ...sending, state: "sent", dueAt: null, failures: 0 };
    if (!isWanted(settings, channel, notice.kind, notice.companyId)) return rest();
    // A person who has signed in as somebody else is on the page, too.
    const presenceCounts = notice.kind !== "sign_in";
    if (presenceCounts && presence.seenAt !== null && presence.seenAt >= notice.noticedAt) return rest();
    const isPresent =
      presenceCounts &&
      presence.presentUntil !== null &&
      presence.presentUntil > at &&
      presence.presentUntil <= addSeconds(at, presenceSec);
    if (isPresent) return { ...sending, dueAt: presence.presentUntil };
    if (quiet !== null) return { ...sending, dueAt: quiet };
    const sent = (recently[channel]?.count ?? 0) + (counts.get(channel) ?? 0);
    if (sent >= mostPerHour)
      return { ...sending, dueAt: addSeconds(recently[channel]?.oldest ?? at, hourSec + 1) };
    counts.set(channel, (counts.get(channel) ?? 0) + 1);
    deliveries.push({ notice, channel, action: "send" });
    return sending;
  };
  const changed = [...notices]
    .sort((one, other) => one.noticedAt.localeCompare(other.noticedAt) || one.id.localeCompare(other.id))
    .map((notice) => [notice, withSendings(notice, (...sending) => judge(notice, ...sending))] as const)
    .filter(([before, after]) =>
      noticeChannels.some((channel) => before.sendings[channel]?.dueAt !== after.sendings[channel]?.dueAt),
    )
    .map(([, after]) => after);
  return { deliveries, changed };
};

/** The sending after an attempt. What the person has closed since stays closed. */
export const afterDelivery = (
  sending: NoticeSending,
  action: Delivery["action"],
  outcome: "sent" | "partly" | "failed" | "unreachable",
  at: Instant,
): NoticeSending => {
  if (outcome === "failed" || outcome === "partly") {
    const failures = sending.failures + 1;
    const pause = Math.min(longestRetrySec, firstRetrySec * 2 ** (failures - 1));
    // A decision withdraws it from the devices that have it.
    const sentAt = outcome === "partly" && action === "send" ? at : sending.sentAt;
    return { ...sending, failures, dueAt: addSeconds(at, pause), sentAt };
  }
  if (action === "withdraw" || outcome === "unreachable") return over(sending);
  return { state: "sent", dueAt: null, failures: 0, sentAt: at };
};

/** When the next sending is due that is not among the deliveries; null: none is. */
export const nextDue = (notices: readonly Notice[], deliveries: readonly Delivery[]): Instant | null =>
  notices
    .flatMap(({ id, sendings }) =>
      noticeChannels
        .filter((name) => !deliveries.some(({ notice, channel }) => notice.id === id && channel === name))
        .map((name) => sendings[name]?.dueAt ?? null),
    )
    .filter((dueAt) => dueAt !== null)
    .reduce<Instant | null>((least, dueAt) => (least === null || dueAt < least ? dueAt : least), null);
