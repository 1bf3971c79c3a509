import * as Effect from "effect/Effect";
import type { Credentials } from "../../../ports/credentials.ts";
import type { NoticeAttempt, NoticeChannel, SentNotice } from "../../../ports/notice-channels.ts";
import type { SecretCipher } from "../../../ports/secret-cipher.ts";
import type { PushMessage } from "../../../ports/web-push.ts";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../../access/unit-of-work.ts";
import {
  attemptPush,
  type PushAttempt,
  type PushDevice,
  type PushParts,
  recordPush,
} from "./attempt-push.ts";
import { noticeMessage, withdrawalMessage } from "./push-message.ts";
import { openedTarget } from "./push-target.ts";

export interface PushContext extends UseCaseContext, PushParts {
  readonly cipher: SecretCipher;
  readonly credentials: Credentials;
}

/** A message to those of the person's browsers that it concerns. */
interface PushDelivery {
  readonly notice: SentNotice;
  readonly message: PushMessage;
  /** The version that a browser has after it; null: none. */
  readonly leaves: string | null;
  readonly concerns: (version: string | undefined) => boolean;
}

/**
 * Notices by Web Push, on each browser that the person has allowed to show them. Which version each browser has is stored, so
 * that a repeated attempt goes to those that missed it, and a withdrawal to those that have it.
 */
export const pushChannel = (context: PushContext): NoticeChannel => {
  const deliver = sendToBrowsers(context);
  return {
    name: "push",
    canReach: (userId) =>
      transactAsSystem(context, "push.canReach", function* ({ push, at }) {
        return (yield* push.of(userId, at)).length > 0;
      }),
    send: (notice) => {
      const { version } = notice;
      return deliver({
        notice,
        message: noticeMessage(notice),
        // A test is no stored notice.
        leaves: notice.kind === "test" ? null : version,
        concerns: (present) => present !== version,
      });
    },
    withdraw: (notice) =>
      deliver({
        notice,
        message: withdrawalMessage(notice),
        leaves: null,
        concerns: (present) => present !== undefined,
      }),
  };
};

const sendToBrowsers =
  (context: PushContext) =>
  (delivery: PushDelivery): Effect.Effect<NoticeAttempt> =>
    Effect.gen(function* () {
      const { notice, message, leaves } = delivery;
      const { count, devices } = yield* transactAsSystem(context, "push.prepare", (unit) =>
        devicesFor(unit, context, delivery),
      );
      if (count === 0) return "unreachable";
      const attempts = yield* Effect.forEach(
        devices,
        (device) =>
          Effect.map(attemptPush(context, device, message), (attempt) => [device, attempt] as const),
        { concurrency: "unbounded" },
      );
      yield* transactAsSystem(context, "push.finish", function* (unit) {
        for (const [device, attempt] of attempts) {
          yield* recordPush(unit, notice.userId, device, attempt);
          if (attempt.status === "sent") yield* unit.push.saveDelivery(notice.id, device.id, leaves);
        }
      });
      return outcomeOf(
        count,
        attempts.map(([, attempt]) => attempt),
      );
    });

/** How many browsers the person has, and those of them that the delivery concerns. */
function* devicesFor(unit: UnitOfWork, { cipher }: PushContext, { notice, concerns }: PushDelivery) {
  const all = yield* unit.push.of(notice.userId, unit.at);
  const versions = yield* unit.push.deliveries(notice.id);
  const devices: PushDevice[] = [];
  for (const { id, sealed } of all)
    if (concerns(versions.get(id)))
      devices.push({ id, target: yield* openedTarget(unit, cipher, { id, sealed }) });
  return { count: all.length, devices };
}

/** Browsers that aren't concerned have what they are to have. */
const outcomeOf = (count: number, attempts: readonly PushAttempt[]): NoticeAttempt => {
  const having = (status: PushAttempt["status"]) => attempts.filter((each) => each.status === status).length;
  const [failed, gone] = [having("failed"), having("gone")];
  if (failed > 0) return count - failed - gone > 0 ? "partly" : "failed";
  return gone === count ? "unreachable" : "sent";
};
