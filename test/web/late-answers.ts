import type { Page, Route } from "playwright-core";

/** Two frames later, what an answer shows is drawn, and what it reads is asked for. */
const drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/**
 * Opens addresses with every read held until the page no longer waits for all of them; then the one asked last is answered first, each
 * once the one before is drawn: an order in which what stands further down comes earlier.
 */
export const openWithLateAnswers = async (page: Page): Promise<(address: string) => Promise<void>> => {
  const pendingReads: Route[] = [];
  await page.route(/\/api\//, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (route.request().method() !== "GET" || /\/(events|session)$/.test(pathname)) await route.continue();
    else pendingReads.push(route);
  });
  const answer = async (route: Route | undefined) => {
    // A request that the page has cancelled has no answer.
    const answered = route?.request().response() ?? Promise.resolve(null);
    await route?.continue().catch(() => {});
    await answered;
    await page.evaluate(drawn);
  };
  const state = (): Promise<"no screen" | "waits for all" | "shown in part" | "shown"> =>
    page.evaluate(`(() => {
      const main = document.querySelector("main.page");
      return main === null ? "no screen" : main.matches(".waiting") ? "waits for all"
        : document.querySelector(".skeleton, .in-order-rest") !== null ? "shown in part" : "shown";
    })()`);
  return async (address) => {
    pendingReads.length = 0;
    await page.goto(address);
    for (;;) {
      const now = await state();
      if (now === "shown" && pendingReads.length === 0) return;
      // The frame around a screen asks for what it needs one after the other.
      await answer(
        now === "no screen" ? pendingReads.shift() : now === "waits for all" ? undefined : pendingReads.pop(),
      );
    }
  };
};
