import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultNotices } from "../../core/model/notices/notice-settings.ts";
import { eventually } from "../support/eventually.ts";
import { type PushBrowser, type PushService, startPushService } from "../support/push-service.ts";
import { aCompany, aPerson, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import {
  addressOpenedBy,
  openPushBrowser,
  shownNotices,
  subscribesAt,
  tap,
  workerOf,
} from "./push-browser.ts";

describe.skipIf(chromiumPath === null)("Notices of the board page", () => {
  let board: Board;
  let push: PushService;
  let browser: Browser;
  let origin: string;
  let company: { companyId: string; prefix: string };
  beforeAll(async () => {
    push = await startPushService();
    board = await startBoard({ role: "all", env: { SERVICE_OUTBOUND_PRIVATE_HOSTS: "localhost" } });
    browser = await openPushBrowser();
    origin = `http://localhost:${new URL(board.service.url).port}`;
    company = await aCompany(board, "Harbour Works");
  });
  afterAll(async () => {
    await browser?.close();
    await board?.stop();
    await push?.stop();
  });

  interface Device {
    readonly token: string;
    readonly context: BrowserContext;
    readonly page: Page;
    readonly known: PushBrowser;
    readonly complaints: string[];
  }

  /** A browser in which an owner is signed in, who gets notices at once. */
  const aDevice = async (path: string): Promise<Device> => {
    const { token } = await aPerson(board, company.companyId, "Ada Quay", "owner");
    const channels = { ...defaultNotices.channels, push: { kinds: ["decision" as const], graceSec: 0 } };
    await board.service.as(token).session.saveNotices({ ...defaultNotices, channels });
    const context = await browser.newContext({ baseURL: origin, locale: "en-GB" });
    context.setDefaultTimeout(60_000);
    const known = push.subscribe();
    await subscribesAt(context, origin, known);
    const answer = await context.request.post("/api/session", {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status()).toBe(201);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    await page.goto(path);
    return { token, context, page, known, complaints };
  };

  const allow = async ({ page }: Device) => {
    await page.getByRole("button", { name: "Allow notices on this device" }).click();
    await page.getByText("(this device)").waitFor();
  };

  /** Shows a page of the same origin that is no page of the board, which would report that the person is there. */
  const leave = ({ page }: Device) => page.goto("/icon.svg");

  /** Waits for a message to a device. */
  const messageTo = async (
    { known }: Device,
    isIt: (message: Record<string, unknown>) => boolean = () => true,
  ) => {
    const found = await eventually(
      async () => push.received.find(({ path, message }) => path === known.path && isIt(message)),
      (received) => received !== undefined,
    );
    return found!.message;
  };

  it("are allowed in the profile, tested, listed and removed there", async () => {
    const device = await aDevice("/profile");
    const { page, complaints } = device;
    await allow(device);
    await page.getByRole("button", { name: "Send test notice" }).click();
    await (await workerOf(page)).deliver(await messageTo(device), [
      { title: "Test notice", body: "Notices arrive on this device." },
    ]);
    await page.getByText("last notice").waitFor();
    await page.reload();
    await page.getByText("(this device)").waitFor();
    expect(await page.getByRole("button", { name: "Allow notices on this device" }).count()).toBe(0);
    await page.getByRole("button", { name: /^Remove .*\(this device\)$/ }).click();
    await page.getByRole("button", { name: "Allow notices on this device" }).waitFor();
    expect(await board.service.as(device.token).pushSubscriptions.list()).toEqual([]);
    expect(complaints).toEqual([]);
    await device.context.close();
  });

  it("come when something waits, lead to it by a tap, and go when it is decided", async () => {
    const device = await aDevice("/profile");
    const { page } = device;
    await allow(device);
    const worker = await workerOf(page);
    await leave(device);
    const { admin } = board.service;
    const { id } = await admin.approvals.create({
      companyId: company.companyId,
      type: "approve_ceo_strategy",
      payload: {},
    });
    const sent = await messageTo(device, ({ path }) => `${path}`.endsWith(`/approvals/${id}`));
    const shown = { tag: sent.id, title: sent.title };
    await worker.deliver(sent, [shown]);
    await tap(page, shown.title);
    await page.waitForURL(`${origin}/${company.prefix}/approvals/${id}`);
    await page.getByRole("button", { name: "Approve" }).first().waitFor();
    await expect.poll(() => shownNotices(page)).toEqual([]);

    await leave(device);
    await worker.deliver(sent, [shown]);
    await admin.approvals.approve({ approvalId: id });
    const withdrawal = await messageTo(device, ({ type, id }) => type === "withdrawal" && id === sent.id);
    expect(withdrawal).toEqual({ type: "withdrawal", id: sent.id });
    await worker.deliver(withdrawal, []);
    await device.context.close();
  });

  it("are replaced in silence before they go, where nothing else of the page is to be seen", async () => {
    const device = await aDevice("/profile");
    const { page } = device;
    await allow(device);
    const worker = await workerOf(page);
    const message = { type: "notice", id: "one", version: "1", title: "A", body: "", path: "/inbox" };
    await worker.deliver(message, [{ title: "A" }]);
    // A repeated attempt and an update replace it.
    await worker.deliver({ ...message, title: "A again" }, [{ title: "A again" }]);
    await worker.deliver({ ...message, version: "2" }, [{ title: "A" }]);
    await page.goto("about:blank");
    // Browsers end the subscription of a page whose messages show nothing.
    await worker.deliver({ type: "withdrawal", id: "one" }, [
      { title: "No longer waiting", body: "A", tag: "one" },
    ]);
    await expect.poll(() => shownNotices(page)).toEqual([]);
    await worker.deliver({ ...message, id: "two", title: "B" }, [{ title: "B" }]);
    await worker.deliver({ type: "withdrawal", id: "three" }, [{ title: "B" }]);
    await device.context.close();
  });

  it("open in the tab that is there, without a load, else in a new one", async () => {
    const device = await aDevice("/inbox");
    const { page } = device;
    await page.getByRole("heading", { name: "Inbox" }).first().waitFor();
    await page.evaluate("navigator.serviceWorker.ready");
    await page.evaluate("globalThis.stays = true");
    const worker = await workerOf(page);
    const message = { type: "notice", version: "1", title: "A", body: "", path: `/${company.prefix}/agents` };
    await worker.deliver({ ...message, id: "one" }, [{ title: "A" }]);
    await tap(page, "A");
    await page.waitForURL(`${origin}/${company.prefix}/agents`);
    expect(await page.evaluate("globalThis.stays")).toBe(true);

    const elsewhere = { ...message, id: "two", title: "B", path: "//evil.example/x" };
    await worker.deliver(elsewhere, [{ title: "B" }]);
    const other = await device.context.newPage();
    await other.goto("about:blank");
    await page.close();
    expect(await addressOpenedBy(other, "B")).toBe(`${origin}//evil.example/x`);
    await device.context.close();
  });

  it("are renewed for the session that signs in later, and not for somebody else", async () => {
    const device = await aDevice("/profile");
    const { page, context, token } = device;
    await allow(device);
    const subscriptions = () => board.service.as(token).pushSubscriptions.list();
    const [before] = await subscriptions();
    await context.clearCookies();
    await context.request.post("/api/session", { headers: { authorization: `Bearer ${token}` } });
    await page.goto("/profile");
    await page.getByText("(this device)").waitFor();
    expect((await subscriptions()).map(({ id }) => id)).toEqual([before!.id]);

    // Removed on another device, it isn't renewed.
    await board.service.as(token).pushSubscriptions.delete({ pushSubscriptionId: before!.id });
    await page.goto("/profile");
    await page.getByRole("button", { name: "Allow notices on this device" }).waitFor();
    expect(await subscriptions()).toEqual([]);
    await allow(device);

    const other = await aPerson(board, company.companyId, "Ben Quay", "owner");
    await context.clearCookies();
    await context.request.post("/api/session", { headers: { authorization: `Bearer ${other.token}` } });
    await page.goto("/profile");
    await expect.poll(() => page.evaluate("localStorage.getItem('test.subscribed-with')")).toBe(null);
    expect(await board.service.as(other.token).pushSubscriptions.list()).toEqual([]);
    await context.close();
  });

  it("say where they can't be allowed", async () => {
    const device = await aDevice("/inbox");
    const { context, page } = device;
    await context.clearPermissions();
    await context.addInitScript({
      content: 'Object.defineProperty(Notification, "permission", { get: () => "denied" })',
    });
    await page.goto("/profile");
    await page.getByText("This browser blocks notices of Boardroom.").waitFor();
    await context.addInitScript({
      content: `
        delete window.PushManager;
        Object.defineProperty(navigator, "userAgent", { get: () => "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)" });
      `,
    });
    await page.goto("/profile");
    await page.getByText("On iPhone and iPad, install Boardroom first").waitFor();
    await context.close();
  });

  it("leave nothing in the browser after a sign-out", async () => {
    const device = await aDevice("/profile");
    const { page, context } = device;
    await allow(device);
    const worker = await workerOf(page);
    const message = { type: "notice", id: "n", version: "1", title: "A", body: "", path: "/inbox" };
    await worker.deliver(message, [{ title: "A" }]);
    await page.getByRole("button", { name: "Signed in as Ada Quay" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("textbox", { name: "Board token" }).waitFor();
    expect(
      await page.evaluate(`(async () => [
        await caches.keys(),
        (await navigator.serviceWorker.getRegistrations()).length,
        localStorage.getItem("test.subscribed-with"),
        localStorage.getItem("boardroom.push"),
      ])()`),
    ).toEqual([[], 0, null, null]);
    expect(await board.service.as(device.token).pushSubscriptions.list()).toEqual([]);
    await context.close();
  });
});
