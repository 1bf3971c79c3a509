import { turnOffPush } from "../live/push.ts";
import { removeWorker } from "../live/service-worker.ts";

/** Leaves nothing of the person in the browser: no subscription, no notice, no file. */
export const forgetDevice = async (): Promise<void> => {
  await turnOffPush();
  await removeWorker();
};
