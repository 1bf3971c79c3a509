import { type Browser, devices } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { oidcClient, startProvider } from "../support/identity-provider.ts";
import { readable, startMailServer } from "../support/mail-server.ts";
import { passingProxy } from "../support/passing-proxy.ts";
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
    await worker.deliver(sent!.message, [{ title: sent!.message.title }]);

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

  it("whose person signs in at a provider gets an email in place of the push, and its link leads to the decision", async () => {
    const [mails, proxy] = await Promise.all([startMailServer(), passingProxy()]);
    const provider = await startProvider(() => [`${proxy.url}/sign-in/oidc/default`]);
    const there = await startBoard({
      role: "all",
      env: {
        SERVICE_PUBLIC_URL: proxy.url,
        SERVICE_OIDC_ISSUER: provider.issuer,
        SERVICE_OIDC_CLIENT_ID: oidcClient.id,
        SERVICE_OIDC_CLIENT_SECRET: oidcClient.secret,
        SERVICE_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        SERVICE_SMTP_FROM: "Boardroom <boardroom@mail.example>",
      },
    });
    proxy.passTo(there.service.url);
    try {
      const { admin } = there.service;
      const { companyId, prefix, agentId } = await aCompany(there, "Harbour Works", {
        adapterConfig: asking,
      });
      const email = "ada@example.com";
      await admin.members.invite({ companyId, name: "Ada Quay", role: "owner", email });
      provider.account = { sub: "ada", email, email_verified: true };
      const context = await browser.newContext({ ...devices["Pixel 7"], locale: "en-GB" });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      await page.goto(`${proxy.url}/profile`);
      await page.getByRole("button", { name: /^Continue with / }).tap();
      await page.getByText(`Notices go to ${email}, verified by your sign-in provider.`).waitFor();
      await page.getByLabel("Email delay in seconds").fill("1");
      await page.getByRole("button", { name: "Save notices" }).tap();
      await page.getByText("Notices saved").waitFor();
      await page.goto(`${proxy.url}/icon.svg`);

      const { id: issueId } = await admin.issues.create({
        companyId,
        title: "Paint the pier",
        assigneeAgentId: agentId,
      });
      const link = await eventually(
        async () =>
          mails.received
            .filter(({ to }) => to.includes(email))
            .map(
              (mail) => new RegExp(`Open: (${proxy.url}/${prefix}/approvals/\\S+)`).exec(readable(mail))?.[1],
            )
            .find((found) => found !== undefined),
        (found) => found !== undefined,
      );
      await page.goto(link!);
      await page.getByRole("button", { name: "Approve" }).first().tap();
      await eventually(
        () => admin.issues.get({ issueId }),
        ({ status }) => status === "done",
      );
      await context.close();
    } finally {
      await there.stop();
      await provider.stop();
      await mails.stop();
      proxy.close();
    }
  });
});
