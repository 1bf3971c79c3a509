import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program } from "../support/service-program.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

const execute = promisify(execFile);

describe.skipIf(chromiumPath === null)("The board page is opened", () => {
  let board: Board;
  let folder: string;
  beforeAll(async () => {
    board = await startBoard();
    folder = await mkdtemp(join(tmpdir(), "boardroom-opened-"));
  });
  afterAll(async () => {
    await board?.stop();
    // The browser that was killed may still be writing.
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  /** Runs the program's command line, as the first admin. */
  const boardroom = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { url, token } = board.service;
    const { stdout } = await execute(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH, HOME: folder, SERVICE_API_URL: url, SERVICE_API_KEY: token, ...env },
    });
    return stdout;
  };

  it("by an invitation, once, in the role that its person was given", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Harbour Works" });
    await admin.issues.create({ companyId, title: "Mend the crane" });
    const { id: userId } = await admin.users.create({ name: "Ada Quay" });
    await admin.members.set({ companyId, userId, role: "viewer" });
    const { url } = JSON.parse(await boardroom(["users", "invite", userId, "--json"]));

    const ada = await board.open();
    await ada.page.goto(url);
    await ada.page.getByRole("button", { name: "Signed in as Ada Quay" }).waitFor();
    await ada.page.goto(ada.at(`/${issuePrefix}/issues`));
    await ada.page.getByRole("link", { name: "Mend the crane" }).waitFor();
    expect(await ada.page.getByRole("button", { name: "New issue" }).count()).toBe(0);
    expect(ada.page.url()).not.toContain("code");
    ada.expectClean();

    const other = await board.open();
    await other.page.goto(url);
    await other.page.getByText("This link has already been used").waitFor();
    expect(await other.context.cookies()).toEqual([]);
    await ada.page.goto(ada.at("/inbox"));
    await ada.page.getByRole("alert").getByText("A sign-in link of yours was opened again").waitFor();
    await other.close();
    await ada.close();
  });

  it("by one invitation into a company, and its person renames himself and signs out elsewhere", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Ferry Line" });
    const owner = await board.signedIn(`/${issuePrefix}/settings`);
    await owner.page.getByRole("button", { name: "Invite member" }).click();
    const dialog = owner.page.getByRole("dialog", { name: "Invite a member to Ferry Line" });
    await dialog.getByLabel("Name").fill("Ben");
    await dialog.getByLabel("Role").selectOption({ label: "Viewer – can view" });
    await dialog.getByRole("button", { name: "Invite" }).click();
    const url = await owner.page
      .getByRole("dialog", { name: "A link for Ben" })
      .locator("code")
      .textContent();
    await owner.expectAccessible();
    expect(await admin.members.list({ companyId })).toContainEqual(
      expect.objectContaining({ name: "Ben", role: "viewer" }),
    );
    owner.expectClean();
    await owner.close();

    const ben = await board.open();
    await ben.page.goto(url!);
    await ben.page.getByRole("button", { name: "Signed in as Ben" }).click();
    await ben.page.getByRole("menuitem", { name: "Your profile" }).click();
    await ben.page.getByText("Ferry Line: viewer").waitFor();
    await ben.page.getByLabel("Name", { exact: true }).fill("Benedict");
    await ben.page.getByRole("button", { name: "Save", exact: true }).click();
    await ben.page.getByRole("button", { name: "Signed in as Benedict" }).waitFor();
    const member = (await admin.members.list({ companyId })).find(({ role }) => role === "viewer");
    const { token } = await admin.tokens.create({ name: "t", userId: member!.userId });
    const other = await board.signedIn(`/${issuePrefix}/issues`, { token });
    await other.page.getByText("No open issues").waitFor();
    await ben.page.reload();
    await ben.page.getByText("(this browser)").waitFor();
    await ben.expectAccessible();
    await ben.page.getByRole("button", { name: "Sign out", exact: true }).click();
    await ben.page.getByText("Browser signed out").waitFor();
    await expect.poll(() => ben.page.getByRole("button", { name: "Sign out", exact: true }).count()).toBe(0);
    await other.page.goto(other.at("/inbox"));
    await other.page.getByLabel("Board token").waitFor();
    ben.expectClean();
    await ben.close();
    await other.close();
  });

  it("by a command that starts the browser, without telling the link by an argument", async () => {
    const own = await mkdtemp(join(folder, "command-"));
    const [bin, profile, called] = ["bin", "profile", "called"].map((name) => join(own, name));
    await mkdir(bin!);
    // The opener of a desktop: it starts Chromium with what it is given, and notes what that is.
    await writeFile(
      join(bin!, "xdg-open"),
      `#!/bin/sh
file=$(echo "$1" | sed s,^file://,,)
echo "$* $(stat -c %a "$file")" > "${called}"
setsid "${chromiumPath}" --headless --no-sandbox --no-first-run --remote-debugging-port=0 --user-data-dir="${profile}" "$1" >/dev/null 2>&1 &
echo $! > "${profile}.pid"
until [ -s "${profile}/DevToolsActivePort" ]; do sleep 0.1; done
`,
      { mode: 0o755 },
    );
    const running = boardroom(["open"], { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ":99" });
    try {
      expect(await running).toBe("");
      const [port] = (await readFile(join(profile!, "DevToolsActivePort"), "utf8")).split("\n");
      const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
      const [context] = browser.contexts();
      // The browser can be reached before it has its first page.
      const page = context!.pages()[0] ?? (await context!.waitForEvent("page"));
      await page.getByRole("button", { name: "Signed in as board" }).waitFor();
      expect(page.url()).toMatch(new RegExp(`^${board.service.url}/[^#]*$`));
      await browser.close();
    } finally {
      await running.catch(() => {});
      process.kill(-Number(await readFile(`${profile}.pid`, "utf8")), "SIGKILL");
    }
    const [argument, mode] = (await readFile(called!, "utf8")).trim().split(" ");
    expect(mode).toBe("600");
    expect(argument).toMatch(/^file:[^#?]*\/open\.html$/);
    expect(existsSync(fileURLToPath(argument!))).toBe(false);
  });
});
