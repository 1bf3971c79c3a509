import type { OpenTab, WorkerScope } from "./worker-scope.ts";

/** The messages of the service (`core/notices/push/push-message.ts`). */
export type PushedMessage =
  | {
      readonly type: "notice";
      readonly id: string;
      readonly version: string;
      readonly title: string;
      readonly body: string;
      /** Below the page's base: `/…`. */
      readonly path: string;
    }
  | { readonly type: "withdrawal"; readonly id: string };

interface NoticeData {
  readonly path: string;
  readonly version: string;
  /** Nothing waits any more: it is shown for a moment, because browsers demand it. */
  readonly isOver: boolean;
}

const dataOf = ({ data }: Notification): NoticeData => data as NoticeData;

/** How long a withdrawn notice stays where nothing else of ours is shown. */
const overMs = 4_000;
/** How long a tab may take to go to another page by itself. */
const answerMs = 2_000;

export const showMessage = (scope: WorkerScope, message: PushedMessage): Promise<void> =>
  message.type === "notice" ? showNotice(scope, message) : withdraw(scope, message.id);

const show = ({ registration }: WorkerScope, title: string, options: object): Promise<void> => {
  const address = (file: string) => new URL(file, registration.scope).href;
  const pictures = { icon: address("icon-192.png"), badge: address("badge-96.png") };
  return registration.showNotification(title, { ...pictures, ...options });
};

/** A newer version replaces the one that is shown, and alerts again; a repeated one replaces it in silence. */
const showNotice = async (
  scope: WorkerScope,
  { id, version, title, body, path }: PushedMessage & { readonly type: "notice" },
): Promise<void> => {
  const shown = await scope.registration.getNotifications({ tag: id });
  const isRepeated = shown.some((each) => dataOf(each).version === version && !dataOf(each).isOver);
  const data: NoticeData = { path, version, isOver: false };
  await show(scope, title, { body, tag: id, data, renotify: !isRepeated, silent: isRepeated });
  await closeOver(scope);
};

/**
 * Closes a notice. A push must show something: Safari ends the subscription after the third that doesn't, Chrome shows a
 * notification of its own, Firefox counts. So the notice is first replaced in silence, and stays for a moment where nothing else of
 * ours is to be seen.
 */
const withdraw = async (scope: WorkerScope, id: string): Promise<void> => {
  const [shown] = await scope.registration.getNotifications({ tag: id });
  const data: NoticeData = { path: "/inbox", version: "", isOver: true };
  await show(scope, "No longer waiting", { body: shown?.title ?? "", tag: id, data, silent: true });
  const all = await scope.registration.getNotifications();
  const isOtherShown = all.some((each) => !dataOf(each).isOver) || (await tabsOf(scope)).some(isVisible);
  if (isOtherShown) await closeOver(scope);
  else setTimeout(() => void closeOver(scope), overMs);
};

const closeOver = async ({ registration }: WorkerScope): Promise<void> => {
  for (const each of await registration.getNotifications()) if (dataOf(each).isOver) each.close();
};

const isVisible = ({ visibilityState }: OpenTab): boolean => visibilityState === "visible";

const tabsOf = async ({ clients, registration }: WorkerScope): Promise<readonly OpenTab[]> => {
  const all = await clients.matchAll({ type: "window", includeUncontrolled: true });
  return all.filter(({ url }) => url.startsWith(registration.scope));
};

/** Opens what the notice is about: in an open tab, which goes there without a load, else in a new one. */
export const openNotice = async (scope: WorkerScope, notification: Notification): Promise<void> => {
  const { path } = dataOf(notification);
  notification.close();
  const url = new URL(`.${path}`, scope.registration.scope).href;
  const tabs = await tabsOf(scope);
  const tab = tabs.find(isVisible) ?? tabs[0];
  if (tab === undefined) return void (await scope.clients.openWindow(url));
  await tab.focus().catch(() => {});
  if (!(await goesTo(tab, path))) await tab.navigate(url).catch(() => scope.clients.openWindow(url));
};

/** Asks a tab to go there by itself, which leaves alone what is written in it; false: it doesn't answer. */
const goesTo = (tab: OpenTab, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), answerMs);
    tab.postMessage({ open: path }, [port2]);
  });
