import { holdWords } from "../../../core/model/agents/hold-words.ts";
import type { AnswerOf } from "../live/calls.ts";

type Resumed = AnswerOf<"agents.resume">;

const reasons: Readonly<Record<NonNullable<Resumed["pauseReason"]>, string>> = {
  manual: "somebody has paused it again.",
  budget: `${holdWords.budget.because}.`,
  company: `${holdWords.company.because}.`,
};

/** The sentence about an agent that was resumed and stays paused; null where nothing holds it. */
export const stillHeld = ({ name, pauseReason }: Pick<Resumed, "name" | "pauseReason">): string | null =>
  pauseReason === null ? null : `${name} stays paused: ${reasons[pauseReason]}`;
