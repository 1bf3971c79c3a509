import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
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
import { tickSchedule } from "./tick-schedule.ts";
import { updateRoutine } from "./update-routine.ts";
import { updateTrigger } from "./update-trigger.ts";

/** The use cases of routines. */
export const routines = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  calendar: Calendar,
  cipher: SecretCipher,
  signing: WebhookSigning,
) => ({
  create: createRoutine(transactor, clock, ids),
  update: updateRoutine(transactor, clock, ids, calendar),
  restore: restoreRoutine(transactor, clock, calendar, cipher, signing),
  addTrigger: addTrigger(transactor, clock, ids, calendar, cipher, signing),
  updateTrigger: updateTrigger(transactor, clock, ids, calendar),
  deleteTrigger: deleteTrigger(transactor, clock, ids),
  rotateSecret: rotateTriggerSecret(transactor, clock, ids, cipher, signing),
  run: runRoutine(transactor, clock, ids),
  admitWebhook: admitWebhook(transactor, clock, cipher, signing),
  fireWebhook: fireWebhook(transactor, clock, ids, cipher, signing),
  tick: tickSchedule(transactor, clock, ids, calendar),
  nextFires: nextFires(transactor, clock, calendar),
  companyNextFires: companyNextFires(transactor, clock, calendar),
  previewFires: previewFires(clock, calendar),
});

export type Routines = ReturnType<typeof routines>;
