import * as Effect from "effect/Effect";
import type { NoticeChannel, NoticeChannels } from "../../ports/notice-channels.ts";
import type { InboxViews } from "../../ports/views/inbox-views.ts";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import type { InBackground } from "../events/send-events.ts";
import { type InboxFact, inboxScope } from "../model/inbox/inbox-entry.ts";
import { digestDay, digestSubjects, nextDigestAt } from "../model/notices/digest.ts";
import {
  afterDelivery,
  type Delivery,
  dueDeliveries,
  type Notice,
  type NoticeSubject,
  nextDue,
  reconciled,
} from "../model/notices/notice.ts";
import { noticeKindOf } from "../model/notices/notice-kind.ts";
import { defaultNotices } from "../model/notices/notice-settings.ts";
import { noticedSignInSec, signInSubjects } from "../model/notices/sign-in-notice.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";
import type { CompanyId, ServiceId, UserId } from "../model/shared/ids.ts";
import { addSeconds, type Instant } from "../model/shared/instant.ts";
import { type NoticeFacts, outgoingNotice } from "./outgoing-notice.ts";

/** Longer than one call of a channel takes: the lease is renewed after each. */
const leaseSec = 60;
/** How many people one round leases. */
const perRound = 100;
const pageSize = 200;

export interface NoticeParts extends UseCaseContext {
  readonly inbox: InboxViews;
  readonly channels: NoticeChannels;
}

/**
 * Tells people what waits for them. The inbox is the only judge of that: after each news of a company, and when a notice is
 * due, the entries of each person there are compared with their notices. Several services share the people by leases; a
 * restored copy sends nothing until its agents are released.
 */
export const sendNotices = (parts: NoticeParts) => {
  const lease = (by: ServiceId) =>
    transactAsSystem(parts, "notices.lease", function* (unit) {
      if (isHeldAsRestored(yield* unit.services.restored())) return [];
      yield* unit.notices.markNews();
      return yield* unit.notices.lease({ by, until: addSeconds(unit.at, leaseSec) }, unit.at, perRound);
    });
  const attend = attendTo(parts);
  return (serviceId: ServiceId, inBackground: InBackground) =>
    parts.channels.length === 0
      ? Effect.void
      : Effect.flatMap(lease(serviceId), (people) =>
          Effect.forEach(people, (userId) => inBackground(attend(serviceId, userId)), { discard: true }),
        );
};

/** The tasks of one round of a person. */
interface Round {
  readonly deliveries: readonly Delivery[];
  readonly dueAt: Instant | null;
  readonly facts: NoticeFacts;
}

/** One round of a person: updates their notices, and sends what is due, one after the other. */
const attendTo = (parts: NoticeParts) => (by: ServiceId, userId: UserId) => {
  const lease = (at: Instant) => ({ by, until: addSeconds(at, leaseSec) });
  const end = (dueAt: Instant | null) =>
    transactAsSystem(parts, "notices.release", function* (unit) {
      if ((yield* unit.notices.lockLeased(userId, lease(unit.at))) !== null)
        yield* unit.notices.endLease(userId, dueAt);
    });
  const prepare = (entries: readonly InboxFact[], channels: readonly NoticeChannel[]) =>
    transactAsSystem(parts, "notices.prepare", function* (unit) {
      return yield* prepareRound(unit, { by, userId, entries, channels });
    });

  const deliver = (delivery: Delivery, { facts }: Round) =>
    Effect.gen(function* () {
      const { notice, action } = delivery;
      const channel = parts.channels.find(({ name }) => name === delivery.channel)!;
      const sending = notice.sendings[delivery.channel]!;
      const outgoing =
        action === "withdraw" ? notice : outgoingNotice(notice, facts, sending.sentAt !== null);
      const outcome =
        outgoing === null
          ? "unreachable"
          : yield* "text" in outgoing ? channel.send(outgoing) : channel.withdraw(outgoing);
      return yield* transactAsSystem(parts, "notices.finish", function* (unit) {
        if ((yield* unit.notices.lockLeased(userId, lease(unit.at))) === null) return null;
        const present = (yield* unit.notices.open(userId)).find(({ id }) => id === notice.id);
        if (present === undefined) return null;
        const after = afterDelivery(present.sendings[delivery.channel]!, action, outcome, unit.at);
        const saved: Notice = { ...present, sendings: { ...present.sendings, [delivery.channel]: after } };
        yield* unit.notices.save([saved]);
        return after.dueAt;
      });
    });

  return Effect.gen(function* () {
    const caller = yield* callerOf(parts, userId);
    const channels = yield* Effect.filter(parts.channels, (channel) => channel.canReach(userId));
    if (caller === null || channels.length === 0) return yield* end(null);
    const round = yield* prepare(yield* entriesOf(parts, caller), channels);
    if (round === null) return;
    const later = yield* Effect.forEach(round.deliveries, (delivery) => deliver(delivery, round));
    const times = [round.dueAt, ...later].filter((at) => at !== null).sort();
    yield* end(times[0] ?? null);
  }).pipe(Effect.onError(() => Effect.ignoreCause(end(addSeconds(parts.clock.now(), leaseSec)))));
};

type NoticeCaller = Parameters<typeof inboxScope>[0];

/** The person with their rights; null: they may not enter. */
const callerOf = (parts: NoticeParts, userId: UserId) =>
  transactAsSystem(parts, "notices.caller", function* ({ access }) {
    const person = yield* access.findPerson(userId);
    return person === null || person.disabledAt !== null
      ? null
      : { userId, admin: person.admin, roles: person.roles };
  });

/** All entries of the inbox that the person has not dismissed. */
const entriesOf = (parts: NoticeParts, caller: NoticeCaller) =>
  Effect.gen(function* () {
    const facts: InboxFact[] = [];
    let cursor: string | undefined;
    do {
      const page = yield* parts.inbox
        .list(inboxScope(caller, null, parts.clock.now()), {}, { limit: pageSize, cursor })
        .pipe(Effect.orDie);
      facts.push(...page.items);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    return facts;
  });

interface RoundParts {
  readonly by: ServiceId;
  readonly userId: UserId;
  readonly entries: readonly InboxFact[];
  readonly channels: readonly NoticeChannel[];
}

const prepareRound = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { by, userId, entries, channels }: RoundParts,
) {
  const { at } = unit;
  const person = yield* unit.notices.lockLeased(userId, { by, until: addSeconds(at, leaseSec) });
  if (person === null) return null;
  const settings = person.settings ?? defaultNotices;
  const day = digestDay(settings, person.digestDay, at);
  if (day !== null) yield* unit.notices.saveDigestDay(userId, day);
  const open = yield* unit.notices.open(userId);
  const signIns = yield* unit.access.notableSignIns(userId, addSeconds(at, -noticedSignInSec));
  const subjects = [
    ...entries.flatMap(subjectsOf),
    ...signInSubjects(signIns, open, at),
    ...digestSubjects(day, entries.length, open),
  ];
  const closed = yield* unit.notices.closed(
    userId,
    subjects.map(({ subject }) => subject),
  );
  const news = reconciled([...open, ...closed], subjects, {
    userId,
    settings,
    channels: channels.map(({ name }) => name),
    newId: () => unit.newId<"notice">(),
    at,
  });
  const all = new Map([...open, ...news].map((notice) => [notice.id, notice]));
  const recently = yield* unit.notices.recentlySent(userId, addSeconds(at, -3_600));
  const { deliveries, changed } = dueDeliveries([...all.values()], person, settings, recently, at);
  for (const notice of changed) all.set(notice.id, notice);
  yield* unit.notices.save([...new Set([...news, ...changed].map(({ id }) => all.get(id)!))]);
  const prefixes = new Map(
    (yield* unit.access.companiesByPrefix()).map((each) => [each.id, each.issuePrefix]),
  );
  const times = [nextDue([...all.values()], deliveries), nextDigestAt(settings, day ?? person.digestDay, at)];
  const dueAt = times.filter((time) => time !== null).sort()[0] ?? null;
  const prefixOf = (companyId: CompanyId | null) =>
    companyId === null ? undefined : prefixes.get(companyId);
  return { deliveries, dueAt, facts: { entries, signIns, prefixOf } } satisfies Round;
});

const subjectsOf = ({ id, kind, version, companyId, waitingSince }: InboxFact): readonly NoticeSubject[] => {
  const noticeKind = noticeKindOf(kind);
  return noticeKind === null ? [] : [{ subject: id, version, kind: noticeKind, companyId, waitingSince }];
};
