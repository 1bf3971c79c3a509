import { type Browser, devices } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { type PushService, startPushService } from "../support/push-service.ts";
import { aCompany, aPerson, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { openPushBrowser, shownNotices, subscribesAt, tap, workerOf } from "./push-browser.ts";
import { withAuthenticator } from "./virtual-authenticator.ts";

/** Asks the board once, and finishes its issue when the board agrees. */
const asking = nodeAgent(`
const { SERVICE_COMPANY_ID: company, SERVICE_APPROVAL_STATUS: status } = process.env;
if (status === undefined) {
  await call("POST", "/api/companies/" + company + "/approvals", { type: "approve_ceo_strategy", payload: { plan: "Paint the pier" } });
  await call("PATCH", "/api/issues/" + task, { status: "in_review" });
} else await call("PATCH", "/api/issues/" + task, { status: "done", comment: "The board said " + status + "." });
`);

describe.skipIf(chromiumPath === null)("A phone", () => {
  let board: Board;
  let push: PushService;
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    push = await startPushService();
    board = await startBoard({ role: "all", env: { SERVICE_OUTBOUND_PRIVATE_HOSTS: "localhost" } });
    browser = await openPushBrowser();
    origin = `http://localhost:${new URL(board.service.url).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    await board?.stop();
    await push?.stop();
  });

  it("is set up from a one-time link, gets the notice of an approval, and one tap leads to the decision", async () => {
    const { admin } = board.service;
    const { companyId, prefix, agentId } = await aCompany(board, "Harbour Works", { adapterConfig: asking });
    const { id: userId, token } = await aPerson(board, companyId, "Ada Quay", "owner");
    const { url } = await admin.users.invite({ userId });
    const context = await browser.newContext({ ...devices["Pixel 7"], locale: "en-GB" });
    context.setDefaultTimeout(60_000);
    const known = push.subscribe();
    await subscribesAt(context, origin, known);
    const page = await context.newPage();
    await withAuthenticator({ context, page });

    await page.goto(`${origin}/${url.slice(url.indexOf("#"))}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goto(`${origin}/profile`);
    await page.getByRole("textbox", { name: "Name of a new passkey" }).fill("Phone");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("button", { name: "Remove Phone" }).waitFor();
    await page.getByRole("button", { name: "Allow notices on this device" }).click();
    await page.getByText("(this device)").waitFor();
    const worker = await workerOf(page);
    // The app is put away.
    await page.goto(`${origin}/icon.svg`);

    const issue = await admin.issues.create({ companyId, title: "Paint the pier", assigneeAgentId: agentId });
    const sent = await eventually(
      () =>
        Promise.resolve(
          push.received.find(
            ({ path, message }) => path === known.path && `${message.path}`.includes("/approvals/"),
          ),
        ),
      (found) => found !== undefined,
    );
    const [approval] = (await admin.approvals.list({ companyId, status: "pending" })).items;
    expect(sent!.message.path).toBe(`/${prefix}/approvals/${approval!.id}`);
    await worker.deliver(sent!.message);
    await expect.poll(() => shownNotices(page)).toMatchObject([{ title: sent!.message.title }]);

    await tap(page, sent!.message.title);
    await page.waitForURL(`${origin}/${prefix}/approvals/${approval!.id}`);
    await page.getByRole("button", { name: "Approve" }).first().tap();
    await eventually(
      () => admin.issues.get({ issueId: issue.id }),
      ({ status }) => status === "done",
    );
    // It was dealt with on the phone itself, and is gone from it.
    expect(await shownNotices(page)).toEqual([]);
    expect(await board.service.as(token).passkeys.list()).toMatchObject([{ name: "Phone" }]);
    await context.close();
  });
});
