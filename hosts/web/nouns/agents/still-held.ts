import type { AnswerOf } from "../../live/calls.ts";

type Resumed = AnswerOf<"agents.resume">;

const reasons: Readonly<Record<NonNullable<Resumed["pauseReason"]>, string>> = {
  manual: "again",
  budget: "by its budget",
  company: "with its company",
};

/** The sentence about an agent that was resumed and stays paused; null where nothing holds it. */
export const stillHeld = ({ name, pauseReason }: Pick<Resumed, "name" | "pauseReason">): string | null =>
  pauseReason === null ? null : `${name} is paused ${reasons[pauseReason]}.`;
