import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("The backups of the instance", () => {
  let scheduled: Board;
  let without: Board;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "boardroom-page-backups-"));
    [scheduled, without] = await Promise.all([
      startBoard({ role: "all", env: { SERVICE_BACKUP_TO: directory, SERVICE_BACKUP_AT: "0 3 1 1 *" } }),
      startBoard(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([scheduled?.stop(), without?.stop()]);
    await rm(directory, { recursive: true, force: true });
  });

  it("say when the next one is taken, and one is taken now", async () => {
    const { page, expectClean, expectAccessible, close } = await scheduled.signedIn("/instance");
    const section = page.getByRole("region", { name: "Backups" });
    await section.getByText("None yet").waitFor();
    await section.getByText(directory).waitFor();
    await section.getByRole("button", { name: "Back up now" }).click();
    await section.getByText(/Backup requested/).waitFor();
    await expectAccessible();
    // A service looks for what is due once a minute.
    await section.getByText(/Backup requested/).waitFor({ state: "detached", timeout: 150_000 });
    await section.getByText(/now, \d+ KB|\d+ min.*, \d+ KB/).waitFor();
    expect((await scheduled.service.admin.system.backups({})).kept).toBe(1);
    expectClean();
    await close();
  }, 240_000);

  it("are explained where none are scheduled, with what is lost and how to begin", async () => {
    const { page, expectClean, expectAccessible, close } = await without.signedIn("/instance");
    const section = page.getByRole("region", { name: "Backups" });
    await section.getByText("you lose every company, issue, file and secret").waitFor();
    await section.getByText("SERVICE_BACKUP_TO=/mnt/backups").waitFor();
    expect(await section.getByRole("button", { name: "Back up now" }).count()).toBe(0);
    await expectAccessible();
    expectClean();
    await close();
  });
});
