import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MailServer, readable, startMailServer } from "../support/mail-server.ts";
import { eventually } from "../support/service.ts";
import { aPerson, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("Notices are set in the profile", () => {
  let board: Board;
  let mails: MailServer;
  let chat: Server;
  const bodies: string[] = [];
  beforeAll(async () => {
    mails = await startMailServer();
    board = await startBoard({
      role: "all",
      env: {
        SERVICE_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        SERVICE_SMTP_FROM: "Boardroom <boardroom@mail.example>",
        SERVICE_OUTBOUND_PRIVATE_HOSTS: "localhost",
      },
    });
    chat = createServer(async (request, response) => {
      bodies.push(await text(request));
      response.end("ok");
    });
    await new Promise<void>((resolve) => chat.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    await board?.stop();
    await mails?.stop();
    chat?.closeAllConnections();
    chat?.close();
  });

  const mailTo = async (address: string, containing: string): Promise<string> => {
    const sent = () => mails.received.filter(({ to }) => to.includes(address)).map(readable);
    const found = await eventually(
      async () => sent().filter((text) => text.includes(containing)),
      (all) => all.length > 0,
    );
    return found[0]!;
  };
  const linkIn = (mail: string, path: string): string =>
    new RegExp(`http://\\S+/${path}[^\\s"<>]*`).exec(mail)![0];

  it("with a confirmed address; a notice opens its decision, and one click turns email off", async () => {
    const { admin } = board.service;
    const { id: companyId } = await admin.companies.create({ name: "Harbour Works" });
    await admin.companies.create({ name: "Ferry Line" });
    const address = "ada@example.org";

    const { page, expectClean, expectAccessible, close } = await board.signedIn("/profile");
    await page.getByText("No confirmed address yet").waitFor();
    await page.getByLabel("New email address").fill(address);
    await page.getByRole("button", { name: "Send confirmation link" }).click();
    await page.getByText(`To confirm ${address}, open the link`).waitFor();

    const confirmation = linkIn(await mailTo(address, "confirm-email"), "confirm-email");
    const phone = await board.open();
    await phone.page.goto(confirmation);
    await phone.page.getByRole("button", { name: "Confirm email address" }).waitFor();
    expect(phone.page.url()).not.toContain("code");
    // Opening the link alone confirms nothing.
    expect((await admin.session.showEmail()).address).toBeNull();
    await phone.expectAccessible();
    await phone.page.getByRole("button", { name: "Confirm email address" }).click();
    await phone.page.getByText(`Notices now go to ${address}.`).waitFor();
    phone.expectClean();

    await page.reload();
    await page.getByText(`Notices go to ${address}.`).waitFor();
    await page.getByLabel("Email delay in seconds").fill("0");
    const email = page.getByRole("group", { name: "Email", exact: true });
    await email.getByLabel("Budgets").check();
    await page.getByLabel("Different notices for Ferry Line").check();
    await page.getByRole("group", { name: "Push about Ferry Line" }).getByLabel("Failed runs").check();
    await page.getByLabel("Quiet hours").check();
    await page.getByLabel("To", { exact: true }).fill("06:30");
    await page.getByLabel("Quiet hours").uncheck();
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByLabel("Daily digest at").fill("07:15");
    await expectAccessible();
    await page.getByRole("button", { name: "Save notices" }).click();
    await page.getByText("Notices saved").waitFor();
    expect(await admin.session.showNotices()).toMatchObject({
      channels: { email: { kinds: ["decision", "budget", "sign_in"], graceSec: 0 } },
      companies: [
        {
          kinds: {
            push: ["decision", "run_failed", "sign_in"],
            email: ["decision", "budget", "sign_in"],
            chat: ["decision", "sign_in"],
          },
        },
      ],
      timeZone: "Europe/Berlin",
      quietHours: null,
      digestAt: "07:15",
    });
    await page.getByLabel("Time zone").fill("Nowhere/City");
    await page.getByRole("button", { name: "Save notices" }).click();
    await page.getByText("must be an IANA time zone").waitFor();

    await page.getByRole("button", { name: "Send a test notice by email" }).click();
    await page.getByText("Test notice sent").waitFor();
    await mailTo(address, "Notices reach you here.");
    await page.getByRole("button", { name: "Send a test notice by push" }).click();
    await page.getByText("You can't be reached this way yet").waitFor();
    await page.getByText("No chat yet").waitFor();
    await page.getByLabel("Chat program").selectOption("Mattermost");
    const hook = `http://localhost:${(chat.address() as AddressInfo).port}`;
    await page.getByLabel("Incoming webhook URL").fill(`${hook}/hooks/secret`);
    await page.getByRole("button", { name: "Save chat" }).click();
    await page.getByText(`Notices go to Mattermost at ${hook}/…`).waitFor();
    // A test is sent every ten seconds, and the one by email was just now.
    const sendTest = async () => {
      await page.getByRole("button", { name: "Send a test notice by chat" }).click();
      return bodies.join();
    };
    await expect.poll(sendTest, { interval: 2_000 }).toContain("Notices reach you here.");
    await page.getByRole("button", { name: "Remove chat" }).click();
    await page.getByText("No chat yet").waitFor();
    expectClean({ refusals: [400, 409, 429] });
    await close();
    // A page that is closed tells that nobody sees it anymore.
    await admin.session.seeNotices({ stays: false });

    const approval = await admin.approvals.create({
      companyId,
      type: "approve_ceo_strategy",
      payload: { title: "Berth plan", plan: "Two cranes" },
    });
    const notice = await mailTo(address, approval.id);
    const unsubscribe = linkIn(notice, "unsubscribe/");
    await phone.page.goto(unsubscribe);
    await phone.page.getByRole("button", { name: "Turn off emails" }).waitFor();
    expect((await admin.session.showNotices()).companies.length).toBe(1);
    await phone.page.getByRole("button", { name: "Turn off emails" }).click();
    await phone.page.getByText("You won't get these emails anymore.").waitFor();
    expect((await admin.session.showNotices()).companies).toContainEqual({
      companyId,
      kinds: { push: ["decision", "sign_in"], email: [], chat: ["decision", "sign_in"] },
    });
    await phone.page.goto(unsubscribe.slice(0, -3));
    await phone.page.getByRole("button", { name: "Turn off emails" }).click();
    await phone.page.getByText("This link isn't valid").waitFor();
    await phone.page.goto(confirmation);
    await phone.page.getByRole("button", { name: "Confirm email address" }).click();
    await phone.page.getByText("This link is no longer valid").waitFor();
    await phone.close();
  });

  it("and a person whom a comment names, found by @, gets an email that opens the issue", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Pier Works" });
    const { token } = await aPerson(board, companyId, "Grace Quay", "operator");
    const grace = board.service.as(token);
    const address = "grace@example.org";
    await grace.session.setEmail({ address });
    const confirmation = linkIn(await mailTo(address, "confirm-email"), "confirm-email");
    await grace.session.confirmEmail({ code: confirmation.split("#code=")[1]! });
    const { channels, ...settings } = await grace.session.showNotices();
    await grace.session.saveNotices({
      ...settings,
      channels: { ...channels, email: { kinds: ["mention"], graceSec: 0 } },
    });
    const { identifier } = await admin.issues.create({ companyId, title: "Paint the pier" });

    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/issues/${identifier}`);
    const box = page.getByRole("textbox", { name: "Comment" });
    await box.pressSequentially("Please look, @Gra");
    const offered = page.getByRole("listbox", { name: "Agents and people" });
    await offered.getByRole("option", { name: "Grace Quay" }).waitFor();
    await page.keyboard.press("Enter");
    expect(await box.inputValue()).toBe("Please look, @Grace Quay ");
    await page.getByText("Grace Quay will be notified.").waitFor();
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const notice = await mailTo(address, "You were mentioned in a comment.");
    expect(notice).toContain(`Subject: [Pier Works] ${identifier} Paint the pier`);
    expect(linkIn(notice, issuePrefix)).toContain(`/${issuePrefix}/issues/${identifier}`);
    expect(notice).not.toContain("Please look");
    expectClean();
    await close();
  });
});
