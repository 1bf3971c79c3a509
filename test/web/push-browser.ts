import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Page,
  type Worker,
} from "playwright-core";
import { expect, vi } from "vitest";
import type { PushBrowser } from "../support/push-service.ts";
import { chromiumPath } from "./chromium.ts";

/** The whole of Chromium: its headless shell has neither notifications nor push. */
export const openPushBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath!, args: ["--disable-gpu"] });

export interface ShownNotice {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
}

/**
 * Lets the pages of the context subscribe at the push service of the test: Chromium's own is not reached. What the page and its
 * worker do with a subscription and with messages stays as it is.
 */
export const subscribesAt = async (
  context: BrowserContext,
  origin: string,
  { subscription }: PushBrowser,
) => {
  await context.grantPermissions(["notifications"], { origin });
  await context.addInitScript({ content: `(${pushManagerOfTest})(${JSON.stringify(subscription)})` });
};

const pushManagerOfTest = `(json) => {
  const key = "test.subscribed-with";
  const made = () => ({
    toJSON: () => json,
    options: { applicationServerKey: new Uint8Array(JSON.parse(localStorage.getItem(key))).buffer },
    unsubscribe: async () => {
      localStorage.removeItem(key);
      return true;
    },
  });
  Object.assign(PushManager.prototype, {
    subscribe: async ({ applicationServerKey }) => {
      localStorage.setItem(key, JSON.stringify([...applicationServerKey]));
      return made();
    },
    getSubscription: async () => (localStorage.getItem(key) === null ? null : made()),
  });
}`;

/** The worker of a page, as the devtools of the browser reach it. */
export interface PageWorker {
  /**
   * Delivers a message as the push service would, and waits until these notices are shown. On a loaded machine Chromium loses a
   * message now and then: it is delivered again, as push services do, which replaces its notice.
   */
  deliver(message: unknown, shows: readonly Partial<ShownNotice>[]): Promise<void>;
}

export const workerOf = async (page: Page): Promise<PageWorker> => {
  const devtools: CDPSession = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  const registered = new Promise<string>((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL.startsWith(origin) && !isDeleted);
      if (own !== undefined) resolve(own.registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  const registrationId = await registered;
  return {
    deliver: async (message, shows) => {
      const data = JSON.stringify(message);
      await vi.waitFor(
        async () => {
          await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
          const expected = shows.map((notice) => expect.objectContaining(notice));
          await expect.poll(() => shownNotices(page), { timeout: 5_000 }).toEqual(expected);
        },
        { timeout: 60_000 },
      );
    },
  };
};

/** The notices that the worker shows now. */
export const shownNotices = async (page: Page): Promise<readonly ShownNotice[]> =>
  (await workerIn(page)).evaluate(`(async () => {
    const shown = await registration.getNotifications();
    return shown.map(({ title, body, tag }) => ({ title, body, tag }));
  })()`);

const workerIn = async (page: Page): Promise<Worker> => {
  const context = page.context();
  return context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
};

/** Taps the notice with that title, where a tab of the page is open to show it. */
export const tap = async (page: Page, title: string): Promise<void> => {
  await (await workerIn(page)).evaluate(tapping(title));
};

/**
 * Taps the notice with that title and returns the address that the worker would open. No window opens: a browser allows that only
 * after a real tap.
 */
export const addressOpenedBy = async (page: Page, title: string): Promise<string> =>
  // In one step: the browser may stop the worker in between, which then has forgotten the address.
  (await workerIn(page)).evaluate(`new Promise((resolve, reject) => {
    clients.openWindow = async (url) => resolve(url);
    ${tapping(title)}.catch(reject);
  })`);

const tapping = (title: string) => `(async () => {
  const shown = await registration.getNotifications();
  const notification = shown.find(({ title }) => title === ${JSON.stringify(title)});
  dispatchEvent(new NotificationEvent("notificationclick", { notification }));
})()`;
