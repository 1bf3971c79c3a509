import type * as Effect from "effect/Effect";
import type { Notice, Presence, RecentlySent } from "../../core/model/notices/notice.ts";
import type { NoticeSettings } from "../../core/model/notices/notice-settings.ts";
import type { ServiceId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** A person, as far as notices depend on them. */
export interface NoticePerson extends Presence {
  readonly userId: UserId;
  /** null: the defaults. */
  readonly settings: NoticeSettings | null;
  /** Of the last digest, `YYYY-MM-DD`. */
  readonly digestDay: string | null;
}

export interface NoticeLease {
  readonly by: ServiceId;
  readonly until: Instant;
}

export interface NoticeStore {
  /** Marks the people of each company with entries in the activity log that were not looked at yet. */
  markNews(): Effect.Effect<void>;
  /** Marks a person whose notices are to be compared with what waits for them. */
  markPerson(userId: UserId): Effect.Effect<void>;
  /** Leases people with news, or whose notices are due, and whom no live service attends to. */
  lease(lease: NoticeLease, at: Instant, limit: number): Effect.Effect<readonly UserId[]>;
  /** The person if the service has the lease still, which is renewed; else null. Locks the person. */
  lockLeased(userId: UserId, lease: NoticeLease): Effect.Effect<NoticePerson | null>;
  /** Ends the lease; the person is due again then, or with the next news. */
  endLease(userId: UserId, dueAt: Instant | null): Effect.Effect<void>;
  saveDigestDay(userId: UserId, day: string): Effect.Effect<void>;
  /** null: the person has changed nothing. */
  settings(userId: UserId): Effect.Effect<NoticeSettings | null>;
  /** As above; they stay as they are until the end of the transaction. */
  lockSettings(userId: UserId): Effect.Effect<NoticeSettings | null>;
  /** When the person last had a test sent; locks the person. */
  lockTestedAt(userId: UserId): Effect.Effect<Instant | null>;
  saveTestedAt(userId: UserId, at: Instant): Effect.Effect<void>;
  saveSettings(userId: UserId, settings: NoticeSettings): Effect.Effect<void>;
  /** Stores what an open page told. */
  savePresence(userId: UserId, presence: Presence): Effect.Effect<void>;
  /** All notices of a person that are open or being withdrawn. */
  open(userId: UserId): Effect.Effect<readonly Notice[]>;
  /** Those about the subjects that were decided before, so that each has one notice. */
  closed(userId: UserId, subjects: readonly string[]): Effect.Effect<readonly Notice[]>;
  recentlySent(userId: UserId, since: Instant): Effect.Effect<RecentlySent>;
  save(notices: readonly Notice[]): Effect.Effect<void>;
  /** Deletes notices of subjects that were decided before; returns how many. */
  deleteBefore(at: Instant, limit: number): Effect.Effect<number>;
}
