import type { RowOf } from "../../live/calls.ts";

export type Entry = RowOf<"inbox.list">;

/** Whether the service would take the action now. */
export const offers = (entry: Entry, action: Entry["actions"][number]): boolean =>
  entry.actions.includes(action);

/** Why the service would refuse the most likely action, as a sentence; null: it would not. */
export const refusalOf = ({ callerMay }: Entry): string | null => {
  const [likeliest] = Object.values(callerMay);
  return likeliest === undefined || likeliest.allowed ? null : (likeliest.error ?? null);
};
