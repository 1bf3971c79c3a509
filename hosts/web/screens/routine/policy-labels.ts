import type { AnswerOf } from "../../live/calls.ts";

type Routine = AnswerOf<"routines.get">;

export const concurrencyLabels: Readonly<Record<Routine["concurrencyPolicy"], string>> = {
  coalesce_if_active: "Runs don't overlap: a new run joins the active one.",
  skip_if_active: "Runs don't overlap: a new run is skipped while one is active.",
  always_enqueue: "Runs can overlap: each run creates an issue.",
};

export const catchUpLabels: Readonly<Record<Routine["catchUpPolicy"], string>> = {
  skip_missed: "Missed runs are skipped.",
  enqueue_missed_with_cap: "Missed runs are caught up, up to a limit.",
};

export const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value: value as Value, label }));
