import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** The sentences of the page where something was refused, could not be read, or was changed by somebody else meanwhile. */
describe.skipIf(chromiumPath === null)("The board page", () => {
  let board: Board;
  let companyId: string;
  beforeAll(async () => {
    board = await startBoard();
    ({ id: companyId } = await board.service.admin.companies.create({ name: "Harbour Works" }));
  });
  afterAll(() => board?.stop());

  const refused = (status: number, error: string, details?: object) => ({
    status,
    json: { code: "refused", error, details },
  });

  it("shows a refusal of a field that the form does not have below its fields", async () => {
    const { page, expectClean, close } = await board.signedIn("/HAR/issues");
    await page.route("**/api/companies/*/issues", (route) =>
      route.request().method() === "POST"
        ? route.fulfill(refused(422, "Bob works here no longer.", { path: ["assigneeUserId"] }))
        : route.continue(),
    );
    await page.getByRole("button", { name: "New issue" }).first().click();
    await page.getByLabel("Title").fill("Tar the planks");
    await page.getByRole("button", { name: "Create issue" }).click();
    await page.getByRole("dialog").getByText("Bob works here no longer.").waitFor();
    expectClean({ refusals: [422] });
    await close();
  });

  it("says that it could not copy a token, and keeps it until the person has it", async () => {
    const { page, expectClean, close } = await board.signedIn("/profile");
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.reload();
    await page.getByLabel("Name of a new token").fill("Crane");
    await page.getByRole("button", { name: "Create token" }).click();
    const dialog = page.getByRole("dialog", { name: "The new token" });
    await dialog.getByRole("button", { name: "Copy" }).click();
    await dialog.getByText("Your browser blocked copying.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByText("Copy it now, then choose Done.").waitFor();
    expect(await dialog.getByRole("button", { name: "Copied" }).count()).toBe(0);
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "hidden" });
    expectClean();
    await close();
  });

  it("does not promise that a comment wakes a paused assignee", async () => {
    const { admin } = board.service;
    const name = unique("Pia");
    const pia = await admin.agents.create({
      companyId,
      name,
      adapterType: "process",
      adapterConfig: {},
    });
    const issue = await admin.issues.create({ companyId, title: "Tar the ropes", assigneeAgentId: pia.id });
    await admin.agents.pause({ agentId: pia.id });
    const { page, expectClean, close } = await board.signedIn(`/HAR/issues/${issue.identifier}`);
    const pausedHint = `${name} will read it when work resumes. The agent is paused.`;
    await page.getByText(pausedHint).waitFor();
    await admin.agents.resume({ agentId: pia.id });
    await page.getByText(`${name} will be notified.`, { exact: true }).waitFor();
    expect(await page.getByText(pausedHint).count()).toBe(0);
    expectClean();
    await close();
  });

  it("says that a secret is disabled once it is", async () => {
    const { admin } = board.service;
    const name = unique("Crane");
    await admin.secrets.create({ companyId, name, value: "a value of some length" });
    const { page, expectClean, close } = await board.signedIn("/HAR/secrets");
    await page.route("**/api/secrets/*", (route) =>
      route.fulfill(refused(409, "Somebody else changes it now.")),
    );
    await page.getByRole("button", { name: `Change ${name}` }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await page.getByText("Somebody else changes it now.").waitFor();
    expect(await page.getByText(`${name} disabled`).count()).toBe(0);
    await page.unroute("**/api/secrets/*");
    await page.getByRole("button", { name: `Change ${name}` }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await page.getByText(`${name} disabled`).waitFor();
    expectClean({ refusals: [409] });
    await close();
  });

  it("does not take members that it could not read for none", async () => {
    const { page, expectClean, close } = await board.signedIn("/HAR/inbox");
    await page.route("**/api/companies/*/members", (route) =>
      route.fulfill(refused(403, "The members are not yours to see.")),
    );
    await page.goto(`${board.service.url}/HAR/settings`);
    await page.getByText("The members are not yours to see.").waitFor();
    expect(await page.getByText("Only instance admins can see this company.").count()).toBe(0);
    expectClean({ refusals: [403] });
    await close();
  });

  it("leaves a name that somebody else has given the company meanwhile", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Pier Works" });
    const { page, expectClean, close } = await board.signedIn(`/${issuePrefix}/settings`);
    await page.locator(".live-mark.live").waitFor();
    const form = page.getByRole("form", { name: "Company" });
    await form.getByLabel("Description").fill("Mends cranes.");
    await admin.companies.update({ companyId, name: "Harbour & Sons" });
    await page.getByRole("button", { name: "Harbour & Sons" }).first().waitFor();
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Company saved").waitFor();
    expect(await admin.companies.get({ companyId })).toMatchObject({
      name: "Harbour & Sons",
      description: "Mends cranes.",
    });
    expectClean();
    await close();
  });

  it("keeps a dialog that is filled in where somebody presses next to it", async () => {
    const { page, expectClean, close } = await board.signedIn("/HAR/issues");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "New issue" }).first().click();
    await dialog.waitFor();
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "New issue" }).first().click();
    await page.getByLabel("Title").fill("Tar the planks");
    await page.mouse.click(5, 5);
    expect(await page.getByLabel("Title").inputValue()).toBe("Tar the planks");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expectClean();
    await close();
  });
});
