import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";
import type { CompanyId, RoutineId, TriggerId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { RoutineStatus } from "./routine.ts";

export const triggerKinds = ["schedule", "webhook", "api"] as const;

export type TriggerKind = (typeof triggerKinds)[number];

export const signingModes = [
  "bearer",
  "hmac_sha256",
  "github_sha256",
  "standard_webhooks",
  "gitlab_token",
  "stripe",
] as const;

export type SigningMode = (typeof signingModes)[number];

export const replayWindow = { minSec: 30, maxSec: 86_400, defaultSec: 300 } as const;

/** A cause that fires a routine. */
export interface Trigger {
  readonly id: TriggerId;
  readonly companyId: CompanyId;
  readonly routineId: RoutineId;
  readonly kind: TriggerKind;
  readonly label: string | null;
  readonly enabled: boolean;
  readonly cronExpression: string | null;
  /** IANA name. */
  readonly timezone: string | null;
  /** The earliest tick that has not been fired; null while it does not fire by itself. */
  readonly nextFireAt: Instant | null;
  readonly lastFiredAt: Instant | null;
  /** The trigger's id in the public path. */
  readonly publicId: string | null;
  readonly signingMode: SigningMode | null;
  readonly replayWindowSec: number | null;
  /** The number of secrets it has had. */
  readonly secretVersion: number;
  readonly lastRotatedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class TriggerNotFound extends refusal("trigger_not_found", "not_found", "Trigger not found.") {}

export class TriggerNotOfRoutine extends refusal(
  "trigger_not_of_routine",
  "forbidden",
  "This trigger belongs to another routine.",
) {}

export class TriggerDisabled extends refusal(
  "trigger_disabled",
  "conflict",
  "This trigger is disabled. Enable it first.",
) {}

export class NotAWebhook extends refusal(
  "not_a_webhook",
  "unprocessable",
  "Only webhook triggers have a signing secret.",
) {}

export class TriggerFieldsInvalid extends refusal(
  "trigger_fields_invalid",
  "unprocessable",
  "This kind of trigger doesn't have this field.",
) {}

export class CronInvalid extends refusal(
  "cron_invalid",
  "unprocessable",
  "Not a valid cron expression. Use five fields: minute, hour, day, month, weekday.",
) {}

export class TimezoneInvalid extends refusal(
  "timezone_invalid",
  "unprocessable",
  "Not a valid time zone. Use an IANA name such as Europe/London.",
) {}

/** The fields that people set. */
export interface TriggerFields {
  readonly label?: string | null | undefined;
  readonly enabled?: boolean | undefined;
  readonly cronExpression?: string | undefined;
  readonly timezone?: string | undefined;
  readonly signingMode?: SigningMode | undefined;
  readonly replayWindowSec?: number | undefined;
}

const fieldsOfKind: Readonly<Record<TriggerKind, ReadonlySet<string>>> = {
  schedule: new Set(["label", "enabled", "cronExpression", "timezone"]),
  webhook: new Set(["label", "enabled", "signingMode", "replayWindowSec"]),
  api: new Set(["label", "enabled"]),
};

/** Returns the trigger with other fields; each kind has its own. The next tick is calculated separately. */
export const changeTrigger = (
  trigger: Trigger,
  fields: TriggerFields,
  at: Instant,
): Result.Result<Trigger, TriggerFieldsInvalid> => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  for (const [name] of given)
    if (!fieldsOfKind[trigger.kind].has(name))
      return Result.fail(
        new TriggerFieldsInvalid({ path: [name] }, `A ${trigger.kind} trigger has no ${name}.`),
      );
  return Result.succeed({ ...trigger, ...Object.fromEntries(given), updatedAt: at });
};

const triggerFieldNames = [
  "label",
  "enabled",
  "cronExpression",
  "timezone",
  "signingMode",
  "replayWindowSec",
] as const satisfies readonly (keyof Trigger)[];

export const changedTriggerFields = (before: Trigger, after: Trigger): readonly string[] =>
  triggerFieldNames.filter((name) => before[name] !== after[name]);

/** Whether its ticks are fired. */
export const firesByItself = (trigger: Pick<Trigger, "kind" | "enabled">, routine: RoutineStatus): boolean =>
  trigger.kind === "schedule" && trigger.enabled && routine === "active";

/** A trigger and, where it was just created, its secret. */
export interface TriggerWithSecret {
  readonly trigger: Trigger;
  readonly secret: string | null;
}
