import { openNotice, type PushedMessage, showMessage } from "./notices.ts";
import { answerRequest, deleteFormerShells, storeShell } from "./shell-files.ts";
import type { WorkerScope } from "./worker-scope.ts";

const scope = globalThis as unknown as WorkerScope;

scope.addEventListener("install", (event) =>
  event.waitUntil(Promise.all([storeShell(scope), scope.skipWaiting()])),
);
scope.addEventListener("activate", (event) =>
  event.waitUntil(Promise.all([deleteFormerShells(), scope.clients.claim()])),
);
scope.addEventListener("fetch", (event) => answerRequest(scope, event));
scope.addEventListener("push", (event) => {
  if (event.data !== null) event.waitUntil(showMessage(scope, event.data.json() as PushedMessage));
});
scope.addEventListener("notificationclick", (event) =>
  event.waitUntil(openNotice(scope, event.notification)),
);
