import * as Effect from "effect/Effect";
import { emailChannel } from "../../../adapters-infra/mail/email-channel.ts";
import type { NoticeChannels } from "../../../ports/notice-channels.ts";
import type { Bind } from "./foundations.ts";
import { T } from "./tokens.ts";

/** Binds the ways to reach people that the settings allow. */
export const bindNoticeChannels = (bind: Bind): void => {
  bind(T.noticeChannels).toResolvedValue(
    ({ channel }, mail, credentials, views, address, clock): NoticeChannels => [
      channel,
      ...(mail === null
        ? []
        : [
            emailChannel({
              mail,
              credentials,
              addressOf: (userId) =>
                Effect.map(views.access.email(userId, clock.now()), (email) => email.address),
              serviceAddress: address.ofService,
            }),
          ]),
    ],
    [T.pushSubscriptions, T.mail, T.credentials, T.views, T.address, T.clock],
  );
};
