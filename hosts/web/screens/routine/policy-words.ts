import type { AnswerOf } from "../../live/calls.ts";

type Routine = AnswerOf<"routines.get">;

export const concurrencyWords: Readonly<Record<Routine["concurrencyPolicy"], string>> = {
  coalesce_if_active: "While an earlier run is being worked on, another joins it.",
  skip_if_active: "While an earlier run is being worked on, another is skipped.",
  always_enqueue: "Each run makes an issue, also while an earlier one is being worked on.",
};

export const catchUpWords: Readonly<Record<Routine["catchUpPolicy"], string>> = {
  skip_missed: "Ticks missed while no service ran are left out.",
  enqueue_missed_with_cap: "Ticks missed while no service ran are made up for, up to a limit.",
};

export const optionsOf = <Value extends string>(words: Readonly<Record<Value, string>>) =>
  Object.entries<string>(words).map(([value, label]) => ({ value: value as Value, label }));
