import { baseUrl } from "./client.ts";

const address = `${baseUrl}/service-worker.js`;

/** Not in the types of browsers yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: () => string },
  ): { createScriptURL(text: string): string };
}

/** The only policy that the service allows makes the only address that it may make. */
const trustedAddress = (): string => {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return address;
  return trustedTypes
    .createPolicy("boardroom-worker", { createScriptURL: () => address })
    .createScriptURL("");
};

let registering: Promise<ServiceWorkerRegistration | null> | null = null;

/** Registers the worker of the page, which shows notices and the offline page; null where the browser has none. */
export const registerWorker = (): Promise<ServiceWorkerRegistration | null> => {
  registering ??= register();
  return registering;
};

const register = async (): Promise<ServiceWorkerRegistration | null> => {
  if (!("serviceWorker" in navigator)) return null;
  // A browser may forbid it, such as in a private window.
  return navigator.serviceWorker
    .register(trustedAddress(), { scope: `${baseUrl}/` })
    .then((registration) => registration ?? null)
    .catch(() => null);
};

/** Removes the worker with everything it has stored and shows. */
export const removeWorker = async (): Promise<void> => {
  const registration = await navigator.serviceWorker?.getRegistration(`${baseUrl}/`);
  if (registration === undefined) return;
  for (const each of await registration.getNotifications()) each.close();
  await registration.unregister();
  for (const name of await caches.keys()) await caches.delete(name);
};
