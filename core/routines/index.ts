import type { Calendar } from "../../ports/calendar.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Views } from "../../ports/views.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import { addTrigger } from "./add-trigger.ts";
import { admitWebhook } from "./admit-webhook.ts";
import { companyNextFires } from "./company-next-fires.ts";
import { createRoutine } from "./create-routine.ts";
import { deleteTrigger } from "./delete-trigger.ts";
import { fireWebhook } from "./fire-webhook.ts";
import { nextFires } from "./next-fires.ts";
import { previewFires } from "./preview-fires.ts";
import { restoreRoutine } from "./restore-routine.ts";
import { rotateTriggerSecret } from "./rotate-trigger-secret.ts";
import { runRoutine } from "./run-routine.ts";
import { showRoutine } from "./show-routine.ts";
import { tickSchedule } from "./tick-schedule.ts";
import { updateRoutine } from "./update-routine.ts";
import { updateTrigger } from "./update-trigger.ts";

/** The use cases of routines. */
export const routines = (
  context: UseCaseContext,
  calendar: Calendar,
  cipher: SecretCipher,
  signing: WebhookSigning,
  views: Views,
) => ({
  ...showRoutine(views.routines, context.clock),
  create: createRoutine(context),
  update: updateRoutine(calendar)(context),
  restore: restoreRoutine(calendar, cipher, signing)(context),
  addTrigger: addTrigger(calendar, cipher, signing)(context),
  updateTrigger: updateTrigger(calendar)(context),
  deleteTrigger: deleteTrigger(context),
  rotateSecret: rotateTriggerSecret(cipher, signing)(context),
  run: runRoutine(context),
  admitWebhook: admitWebhook(cipher, signing)(context),
  fireWebhook: fireWebhook(cipher, signing)(context),
  tick: tickSchedule(calendar)(context),
  nextFires: nextFires(calendar)(context),
  companyNextFires: companyNextFires(calendar)(context),
  previewFires: previewFires(context.clock, calendar),
});

export type Routines = ReturnType<typeof routines>;
