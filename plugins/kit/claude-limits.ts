import type { LimitWindow } from "../../ports/agent-adapter.ts";
import { asObject, asText, type Json } from "./json.ts";
import { fromEpochSeconds } from "./reset-time.ts";

/** The lengths of the windows whose names say them. */
const minutes: Readonly<Record<string, number>> = { five_hour: 300, seven_day: 7 * 24 * 60 };

const statuses = { allowed: "allowed", allowed_warning: "warning", rejected: "rejected" } as const;

/**
 * The windows that the program names in a `rate_limit_info`: all of them from 2.1.330 on, before it the one that decides. It
 * sends them for subscriptions only.
 */
export const limitsOf = (info: Json): readonly LimitWindow[] => {
  const all = Object.entries(asObject(info.unifiedWindows) ?? {});
  const name = asText(info.rateLimitType);
  const windows: readonly (readonly [string, Json])[] = [
    ...all.flatMap(([each, window]) => (each === name ? [] : [[each, asObject(window) ?? {}] as const])),
    // Of the deciding window, both say something.
    ...(name === ""
      ? []
      : [[name, { ...asObject(asObject(info.unifiedWindows)?.[name]), ...info }] as const]),
  ];
  return windows.map(([each, window]) => windowOf(each, window, info.isUsingOverage === true));
};

const windowOf = (name: string, { status, utilization, resetsAt }: Json, isPaidFor: boolean): LimitWindow => {
  const known = Object.hasOwn(statuses, asText(status))
    ? statuses[status as keyof typeof statuses]
    : undefined;
  // Beyond the subscription requests are paid for and not refused.
  const shown = known === "rejected" && isPaidFor ? "warning" : known;
  const reset = fromEpochSeconds(resetsAt);
  const length = minutes[name];
  return {
    name,
    ...(shown === undefined ? {} : { status: shown }),
    ...(typeof utilization === "number" ? { usedPercent: utilization * 100 } : {}),
    ...(length === undefined ? {} : { windowMinutes: length }),
    ...(reset === null ? {} : { resetsAt: reset.toISOString() }),
  };
};
