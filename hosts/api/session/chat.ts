import * as Effect from "effect/Effect";
import { z } from "zod";
import { chatFormats } from "../../../core/model/events/event-format.ts";
import { ChatRefused } from "../../../core/model/notices/notice-chat.ts";
import { ValidationFailed } from "../../../core/model/shared/failure.ts";
import { boardOnly, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, upTo } from "../endpoint/values.ts";
import { NoticeChatShape } from "./session-shapes.ts";

/** The chat of the person who calls, for notices. */
export const chatCalls = {
  showChat: endpoint({
    method: "GET",
    path: "/api/session/chat",
    summary: "Show your chat for notices",
    description: "null: you have none. No answer has its address, which is a credential.",
    access: boardOnly,
    returns: NoticeChatShape.nullable(),
    run: ({ noticeChats }, _, { caller }) => noticeChats.show(caller),
  }),
  setChat: endpoint({
    method: "PUT",
    path: "/api/session/chat",
    summary: "Send your notices to a chat",
    description:
      "Give the address of an incoming webhook of Slack, Discord, Teams or Mattermost that only you read. It replaces the one before. An address on this machine or in a private network needs SERVICE_OUTBOUND_PRIVATE_HOSTS. `POST /api/session/notices/test` sends a test.",
    access: verified(boardOnly),
    body: z.strictObject({
      format: z.enum(chatFormats),
      url: upTo(2_000).min(1).meta({
        // Keeps it out of argument vectors: the command line takes a file or standard input alone.
        writeOnly: true,
        description: "http or https. It is a credential, which is never shown again.",
      }),
    }),
    returns: NoticeChatShape,
    failures: [ChatRefused, ValidationFailed],
    run: ({ noticeChats }, input, { caller }) => noticeChats.set({ ...input, caller }),
  }),
  removeChat: endpoint({
    method: "DELETE",
    path: "/api/session/chat",
    summary: "Stop notices in your chat",
    access: verified(boardOnly),
    returns: Done,
    run: ({ noticeChats }, _, { caller }) => Effect.as(noticeChats.remove(caller), { ok: true as const }),
  }),
};
