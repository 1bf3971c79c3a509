import { client } from "./client.ts";
import { readPushChoice, savePushChoice } from "./push-choice.ts";
import { registerWorker } from "./service-worker.ts";

/**
 * Whether this browser shows notices. `insecure`: the page came over http. `needs_install`: iOS has push for pages on the home
 * screen alone. `blocked`: the person has forbidden it in the browser.
 */
export type PushState = "unsupported" | "insecure" | "needs_install" | "blocked" | "off" | "on";

const isIos = (): boolean =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  // An iPad says that it is a Mac.
  (navigator.userAgent.includes("Macintosh") && navigator.maxTouchPoints > 1);

export const pushState = async (userId: string): Promise<PushState> => {
  if (!isSecureContext) return "insecure";
  if (!("PushManager" in window) || !("Notification" in window))
    return isIos() ? "needs_install" : "unsupported";
  if (Notification.permission === "denied") return "blocked";
  const registration = await registerWorker();
  if (registration === null) return "unsupported";
  const subscription = await registration.pushManager.getSubscription();
  return subscription !== null && readPushChoice()?.userId === userId ? "on" : "off";
};

const bytesOf = (base64Url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64Url.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));

const isSame = (one: ArrayBuffer | null | undefined, other: Uint8Array): boolean => {
  const bytes = new Uint8Array(one ?? new ArrayBuffer());
  return bytes.length === other.length && bytes.every((byte, n) => byte === other[n]);
};

/** Subscribes the browser, if it isn't yet, and the session that is signed in in it. */
const subscribe = async (userId: string): Promise<void> => {
  const registration = await registerWorker();
  if (registration === null) throw new Error("This browser doesn't support push notices.");
  await navigator.serviceWorker.ready;
  const applicationServerKey = bytesOf((await client.pushSubscriptions.key()).publicKey);
  const { pushManager } = registration;
  const former = await pushManager.getSubscription();
  // Of another installation at the same address.
  const isUsable = isSame(former?.options.applicationServerKey, applicationServerKey);
  if (former !== null && !isUsable) await former.unsubscribe();
  const subscription =
    former !== null && isUsable
      ? former
      : await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint = "", expirationTime = null, keys } = subscription.toJSON();
  const { id: subscriptionId } = await client.pushSubscriptions.save({
    endpoint,
    expirationTime,
    keys: { p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" },
  });
  savePushChoice({ userId, subscriptionId });
};

/** Asks the browser, which asks the person unless it knows the answer. */
export const turnOnPush = async (userId: string): Promise<void> => {
  if ((await Notification.requestPermission()) !== "granted") return;
  await subscribe(userId).catch((error: unknown) => {
    // Browsers report in it that their push service can't be reached.
    throw error instanceof DOMException
      ? new Error("Your browser couldn't reach its push service. Try again.")
      : error;
  });
};

/** Ends the notices on this browser. */
export const turnOffPush = async (): Promise<void> => {
  savePushChoice(null);
  const registration = await registerWorker();
  const subscription = await registration?.pushManager?.getSubscription();
  if (subscription === null || subscription === undefined) return;
  await subscription.unsubscribe();
};

/** Tells the service again that this browser shows notices, which it does for the session that is signed in now. */
export const renewPush = async (userId: string): Promise<void> => {
  const choice = readPushChoice();
  if (choice === null || !("PushManager" in window)) return;
  // Somebody else used this browser before, or it was removed on another device.
  const isOurs =
    choice.userId === userId &&
    (await client.pushSubscriptions.list()).some(({ id }) => id === choice.subscriptionId);
  if (!isOurs) return turnOffPush();
  if (Notification.permission === "granted") await subscribe(userId);
};
