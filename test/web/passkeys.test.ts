import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readQrCode } from "../support/read-qr-code.ts";
import { aCompany, aPerson, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { withAuthenticator } from "./virtual-authenticator.ts";

describe.skipIf(chromiumPath === null)("Passkeys on the board page", () => {
  let board: Board;
  let origin: string;
  beforeAll(async () => {
    board = await startBoard();
    origin = `http://localhost:${new URL(board.service.url).port}`;
  });
  afterAll(() => board?.stop());

  it("are added on the profile, sign in, and verify before an agent is terminated", async () => {
    const { companyId, prefix, agentId } = await aCompany(board, "Harbour Works");
    const { id: userId } = await aPerson(board, companyId, "Ada Quay", "owner");
    const { url } = await board.service.admin.users.invite({ userId });
    const opened = await board.open();
    const { page } = opened;
    const device = await withAuthenticator(opened);
    await page.goto(`${origin}/${url.slice(url.indexOf("#"))}`);
    await page.getByRole("button", { name: "Signed in as Ada Quay" }).waitFor();

    await page.goto(`${origin}/profile`);
    await page.getByRole("textbox", { name: "Name of a new passkey" }).fill("Phone");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("button", { name: "Remove Phone" }).waitFor();
    await opened.expectAccessible();

    await page.goto(`${origin}/${prefix}/agents/${agentId}`);
    const terminate = async () => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Terminate" }).click();
      return page.getByRole("dialog");
    };
    // Somebody else at the browser: the authenticator does not verify them.
    await device.set(false);
    const dialog = await terminate();
    await dialog.getByRole("button", { name: "Terminate" }).click();
    await page.getByText("Verify with your passkey first.").first().waitFor();
    const state = async () => (await board.service.admin.agents.get({ agentId })).status;
    expect(await state()).not.toBe("terminated");
    await device.set(true);
    await page.goto(`${origin}/${prefix}/agents/${agentId}`);
    await (await terminate()).getByRole("button", { name: "Terminate" }).click();
    await expect.poll(state).toBe("terminated");

    await opened.context.clearCookies();
    await page.goto(`${origin}/profile`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("with a passkey").first().waitFor();
    await page.getByRole("button", { name: "Remove Phone" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Remove Phone" }).count()).toBe(0);
    // A page that is left without its cookie still reports that nobody looks at it.
    opened.expectClean({ refusals: [401, 403] });
    await opened.close();
  });

  it("follow a QR code of the profile, which signs in a phone", async () => {
    const { companyId } = await aCompany(board, "Ferry Line");
    const { token } = await aPerson(board, companyId, "Ben Quay", "viewer");
    const opened = await board.signedIn("/profile", { token });
    const { page } = opened;
    await page.getByText("Your phone needs an https address.").waitFor();
    // As behind a proxy with a certificate.
    await page.route("**/api/session/methods", (route) =>
      route.fulfill({
        json: { boardToken: true, passkeys: { origin: "https://board.example" }, providers: [] },
      }),
    );
    await page.reload();
    await page.getByRole("button", { name: "Show QR code" }).click();
    const code = page.getByRole("img", { name: "QR code that signs you in" });
    const [size, path] = [await code.getAttribute("viewBox"), await code.locator("path").getAttribute("d")];
    await opened.expectAccessible();
    const dark = new Set([...path!.matchAll(/M(\d+) (\d+)h1/g)].map(([, x, y]) => `${x} ${y}`));
    const rows = Array.from({ length: Number(size!.split(" ")[2]) }, (_, y) =>
      Array.from({ length: Number(size!.split(" ")[2]) }, (_, x) => dark.has(`${x} ${y}`)),
    );
    const phone = await board.open({ viewport: { width: 390, height: 844 } });
    await phone.page.goto(readQrCode(rows));
    // The menu with the person's name is closed on a narrow screen.
    const signedIn = async () => (await (await phone.context.request.get("/api/session")).json()).name;
    await expect.poll(signedIn).toBe("Ben Quay");
    phone.expectClean();
    await phone.close();
    opened.expectClean();
    await opened.close();
  });

  it("say at an address without a name where they work", async () => {
    const opened = await board.signedIn("/profile");
    await opened.page.getByText(`To add a passkey, open this page at ${origin}.`).waitFor();
    opened.expectClean();
    await opened.close();
  });
});
