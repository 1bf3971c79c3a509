import { type PushContext, pushChannel } from "./push-channel.ts";
import { removePushSubscription } from "./remove-push-subscription.ts";
import { savePushSubscription } from "./save-push-subscription.ts";
import { sendTestPush } from "./send-test-push.ts";
import { showPushSubscriptions } from "./show-push-subscriptions.ts";

/** The use cases of browsers that show notices, and the channel to them. */
export const pushSubscriptions = (context: PushContext) => ({
  publicKey: context.webPush.publicKey,
  channel: pushChannel(context),
  show: showPushSubscriptions(context),
  save: savePushSubscription(context),
  remove: removePushSubscription(context.credentials)(context),
  sendTest: sendTestPush(context),
});

export type PushSubscriptions = ReturnType<typeof pushSubscriptions>;
