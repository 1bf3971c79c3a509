import type { WorkerEvents, WorkerScope } from "./worker-scope.ts";

/** Set by the build: the files of the shell below the page's base, and what changes with any of them. */
declare const shellFiles: readonly string[];
declare const shellVersion: string;

const offlinePage = "offline.html";
const prefix = "boardroom-shell-";
const cacheName = prefix + shellVersion;

/** Caches the files of the shell, whose names change with their content, and the offline page. */
export const storeShell = async (scope: WorkerScope): Promise<void> => {
  const cache = await caches.open(cacheName);
  const { scope: base } = scope.registration;
  await cache.addAll(shellFiles.map((file) => new Request(new URL(file, base), { cache: "no-cache" })));
};

export const deleteFormerShells = async (): Promise<void> => {
  const former = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName);
  await Promise.all(former.map((name) => caches.delete(name)));
};

/**
 * Documents always come from the service, so that an upgrade shows at once, and without it the offline page does. Nothing else
 * than the files of the shell is ever answered here: what the service answers goes past the worker.
 */
export const answerRequest = (scope: WorkerScope, event: WorkerEvents["fetch"]): void => {
  const { request } = event;
  const { scope: base } = scope.registration;
  if (request.method !== "GET") return;
  const stored = async (url: string | URL) => (await caches.open(cacheName)).match(url);
  if (request.mode === "navigate")
    event.respondWith(
      fetch(request).catch(async () => (await stored(new URL(offlinePage, base))) ?? Response.error()),
    );
  else if (shellFiles.some((file) => file !== offlinePage && new URL(file, base).href === request.url))
    event.respondWith(stored(request.url).then((found) => found ?? fetch(request)));
};
