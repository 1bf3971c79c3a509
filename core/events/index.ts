import type { UseCaseContext } from "../access/unit-of-work.ts";
import { addSubscription } from "./add-subscription.ts";
import { deleteOldDeliveries } from "./delete-old-deliveries.ts";
import { redeliver } from "./redeliver.ts";
import { redeliverRange } from "./redeliver-range.ts";
import { removeSubscription } from "./remove-subscription.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { type SendingParts, sendEvents } from "./send-events.ts";
import { testSubscription } from "./test-subscription.ts";
import { updateSubscription } from "./update-subscription.ts";

/** The use cases of events that leave the service. */
export const events = ({ cipher, signing, posts, address, ...context }: SendingParts & UseCaseContext) => ({
  add: addSubscription(cipher, signing)(context),
  update: updateSubscription(context),
  remove: removeSubscription(context),
  rotateSecret: rotateSecret(cipher, signing)(context),
  redeliver: redeliver(context),
  redeliverRange: redeliverRange(context),
  test: testSubscription(context),
  send: sendEvents({ cipher, signing, posts, address, ...context }),
  deleteOld: deleteOldDeliveries(context),
});

export type Events = ReturnType<typeof events>;
