import type * as Effect from "effect/Effect";
import type { NoticeChannelName, NoticeKind } from "../core/model/notices/notice-kind.ts";
import type { CompanyId, IssueId, NoticeId, UserId } from "../core/model/shared/ids.ts";
import type { Instant } from "../core/model/shared/instant.ts";

/** The part of a notice by which a channel finds it again on the devices of the person. */
export interface SentNotice {
  /** The same for each update of the notice and each attempt: a receiver replaces what it has by that id. */
  readonly id: NoticeId;
  readonly userId: UserId;
}

/** A notice to one person, without secrets and without text of a transcript. */
export interface OutgoingNotice extends SentNotice {
  /** `test`: the person has asked for it, to see whether notices arrive. */
  readonly kind: NoticeKind | "test";
  /** Another one is news; a repeated attempt has the same. */
  readonly version: string;
  /** null: about the whole instance, or about several companies. */
  readonly companyId: CompanyId | null;
  readonly companyName: string | null;
  /** The name of what it is about. */
  readonly title: string;
  /** A sentence: why it waits. */
  readonly text: string;
  /** The page that opens the subject itself, below the address of the service: `/…`. */
  readonly path: string;
  /** The issue that it belongs to, if any. */
  readonly issueId: IssueId | null;
  readonly issueIdentifier: string | null;
  readonly waitingSince: Instant;
  /** Whether it was sent before, and is updated now. */
  readonly isUpdate: boolean;
}

/**
 * How an attempt ended. `sent`: the receiver has accepted it. `partly`: some devices of the person have it, and it is tried again
 * later for the others. `failed`: it is tried again later. `unreachable`: the person has no address in this channel any more.
 */
export type NoticeAttempt = "sent" | "partly" | "failed" | "unreachable";

/** One way to reach people. Calls wait at most 30 seconds and never fail. */
export interface NoticeChannel {
  readonly name: NoticeChannelName;
  /** Whether the person has an address in this channel now: a subscribed browser, a confirmed email address. */
  canReach(userId: UserId): Effect.Effect<boolean>;
  /** May be repeated for one notice after a crash: a receiver recognises it by its id. */
  send(notice: OutgoingNotice): Effect.Effect<NoticeAttempt>;
  /** Removes a notice that was sent, because it has been decided; does nothing where a channel can't. */
  withdraw(notice: SentNotice): Effect.Effect<NoticeAttempt>;
}

/** The channels of the service; those that aren't configured are absent. */
export type NoticeChannels = readonly NoticeChannel[];
