import { asObject, asText, type Json } from "../json.ts";
import { askPeople } from "../permissions.ts";
import type { Around, Conversation } from "./conversation-state.ts";
import { type Asked, answerOf, askedBy, decisionLine } from "./permissions.ts";

/** Answers the agent's requests to use a tool, by the policy or by people. */
export interface Permits {
  answer(params: Json): Promise<Json>;
  /** The turn is interrupted, which answers what waits for people. */
  cancel(): void;
}

export const permits = (
  { config, askPermission, note }: Around,
  conversation: Conversation,
  isInterrupted: () => boolean,
): Permits => {
  const open = new Set<() => void>();
  /** null: the turn is interrupted. */
  const ask = async (asked: Asked) => {
    let cancel = () => {};
    const cancelled = new Promise<null>((resolve) => {
      cancel = () => resolve(null);
    });
    open.add(cancel);
    const answer = askPeople(askPermission, asked.request);
    return Promise.race([answer, cancelled]).finally(() => open.delete(cancel));
  };
  return {
    answer: async (params) => {
      const known = conversation.turn.calls.get(asText(asObject(params.toolCall)?.toolCallId));
      const asked = askedBy(config.policy, params, known, config.preset.namesServers);
      const answered = asked.decided === null ? await ask(asked) : null;
      if (isInterrupted()) return { outcome: { outcome: "cancelled" } };
      const { answer, isAllowed } = answerOf(
        asked,
        answered === null ? asked.decided === true : answered.allow,
      );
      conversation.hasRefused ||= !isAllowed;
      note(decisionLine(asked, isAllowed, config.policy, answered));
      return answer;
    },
    cancel: () => {
      for (const each of open) each();
    },
  };
};
