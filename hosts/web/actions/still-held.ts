import { holdRules } from "../../../core/model/agents/holds.ts";
import type { AnswerOf } from "../live/calls.ts";

type Resumed = AnswerOf<"agents.resume">;

const reasons: Readonly<Record<NonNullable<Resumed["pauseReason"]>, string>> = {
  manual: "somebody has paused it again.",
  budget: `${holdRules.budget.because}.`,
  company: `${holdRules.company.because}.`,
};

/** The sentence about an agent that was resumed and stays paused; null where nothing holds it. */
export const stillHeld = ({ name, pauseReason }: Pick<Resumed, "name" | "pauseReason">): string | null =>
  pauseReason === null ? null : `${name} stays paused: ${reasons[pauseReason]}`;
