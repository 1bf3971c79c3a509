import type { Page } from "playwright-core";

/** Holds requests of a page back until what it answers is called. */
export const holdRequests = async (page: Page, url: string): Promise<() => void> => {
  let letIn = () => {};
  const released = new Promise<void>((resolve) => {
    letIn = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    // A request that the page has cancelled cannot continue.
    await route.continue().catch(() => {});
  });
  return letIn;
};
