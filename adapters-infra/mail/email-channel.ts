import * as Effect from "effect/Effect";
import { noticeEmail } from "../../core/model/notices/notice-email.ts";
import { unsubscribeScope } from "../../core/model/notices/unsubscribe.ts";
import type { UserId } from "../../core/model/shared/ids.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Mail } from "../../ports/mail.ts";
import type { NoticeChannel, OutgoingNotice } from "../../ports/notice-channels.ts";

export interface EmailChannelParts {
  readonly mail: Mail;
  readonly credentials: Pick<Credentials, "mintUnsubscribeToken">;
  /** The confirmed address of a person; null: none. */
  readonly addressOf: (userId: UserId) => Effect.Effect<string | null>;
  /** The address of the service for people, without a slash at its end. */
  readonly serviceAddress: () => string;
}

/** Notices by email. A message that was sent can't be withdrawn. */
export const emailChannel = ({
  mail,
  credentials,
  addressOf,
  serviceAddress,
}: EmailChannelParts): NoticeChannel => {
  const written = (notice: OutgoingNotice) => {
    const service = serviceAddress();
    const token = credentials.mintUnsubscribeToken({
      userId: notice.userId,
      scope: unsubscribeScope(notice),
    });
    return noticeEmail(notice, {
      service,
      domain: mail.domain,
      unsubscribe: `${service}/unsubscribe/${token}`,
    });
  };
  return {
    name: "email",
    canReach: (userId) => Effect.map(addressOf(userId), (address) => address !== null),
    send: Effect.fnUntraced(function* (notice) {
      const to = yield* addressOf(notice.userId);
      if (to === null) return "unreachable";
      const { status } = yield* mail.send({ to, ...written(notice) });
      // The next notice may be accepted: a mailbox that is full today is not tomorrow.
      return status === "refused" ? "unreachable" : status;
    }),
    withdraw: () => Effect.succeed("sent"),
  };
};
