import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("On the board page, an operator", () => {
  let board: Board;
  let receiver: Server;
  let status = 503;
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(status).end(status === 200 ? "thanks" : "closed for today");
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    board = await startBoard({ role: "all", env: { SERVICE_OUTBOUND_PRIVATE_HOSTS: "127.0.0.1" } });
  });
  afterAll(async () => {
    await board?.stop();
    receiver?.closeAllConnections();
    receiver?.close();
  });

  it("sends events elsewhere, tests it, sees the answers, sends one again and removes it", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Harbour Works" });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { page, expectAccessible, close } = await board.signedIn(`/${issuePrefix}/settings`);
    await page.getByRole("button", { name: "Add an event subscription" }).click();
    const form = page.getByRole("form", { name: "Add an event subscription" });
    await form.getByLabel("URL").fill(url);
    await form.getByLabel("Events").fill("label.*, label.creatd");
    await form.getByRole("button", { name: "Add subscription" }).click();
    await form.getByText("all events about one kind of record").first().waitFor();
    await expectAccessible();
    await form.getByLabel("Events").fill("label.*");
    await form.getByRole("button", { name: "Add subscription" }).click();
    const once = page.getByRole("dialog", { name: "Copy the secret now" });
    await once.getByText(/^whsec_/).waitFor();
    await once.getByRole("button", { name: "Done" }).click();
    const list = page.getByRole("list", { name: "Event subscriptions" });
    await list.getByRole("button", { name: `Send test event ${url}` }).click();
    const deliveries = page.getByRole("list", { name: `Deliveries to ${url}` });
    await deliveries
      .getByText(/event_subscription\.test · .*answered 503 in \d+ ms: closed for today/)
      .waitFor();
    await expectAccessible();
    status = 200;
    await deliveries.getByRole("button", { name: "Send again event_subscription.test" }).click();
    await deliveries.getByText(/event_subscription\.test · answered 200 in \d+ ms: thanks/).waitFor();
    await list.getByRole("button", { name: `Rotate secret ${url}` }).click();
    await once.getByRole("button", { name: "Done" }).click();
    await list.getByRole("button", { name: `Disable ${url}` }).click();
    await list.getByRole("button", { name: `Enable ${url}` }).click();
    await list.getByRole("button", { name: `Remove ${url}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove subscription" }).click();
    await page.getByText("No subscriptions yet.").waitFor();
    expect(await admin.eventSubscriptions.list({ companyId })).toEqual([]);
    await close();
  });
});
