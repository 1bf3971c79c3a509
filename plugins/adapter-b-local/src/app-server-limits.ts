import type { LimitWindow } from "../../../ports/agent-adapter.ts";
import { asObject, asText, type Json } from "../../kit/json.ts";
import { fromEpochSeconds } from "../../kit/reset-time.ts";

/** The program's own limit; others have their names before those of their windows. */
const usual = "codex";
const names: Readonly<Record<number, string>> = { 300: "five_hour", 10080: "seven_day" };

/** The windows of a snapshot of limits, as `codex app-server` reports it after a request of its model (0.169.0). */
export const limitsOf = (snapshot: Json): readonly LimitWindow[] => {
  const limit = asText(snapshot.limitId) || usual;
  return (["primary", "secondary"] as const).flatMap((which) => {
    const { usedPercent, windowDurationMins, resetsAt } = asObject(snapshot[which]) ?? {};
    if (typeof usedPercent !== "number") return [];
    const minutes = typeof windowDurationMins === "number" ? windowDurationMins : null;
    const reset = fromEpochSeconds(resetsAt);
    const name = names[minutes ?? 0] ?? which;
    return [
      {
        name: limit === usual ? name : `${limit} ${name}`,
        usedPercent,
        ...(minutes === null ? {} : { windowMinutes: minutes }),
        ...(reset === null ? {} : { resetsAt: reset.toISOString() }),
      },
    ];
  });
};
