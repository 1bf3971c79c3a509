import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("On the board page, the hosts of agents", () => {
  let board: Board;
  let agentId: string;
  const volume = randomUUID();
  beforeAll(async () => {
    board = await startBoard();
    const { admin, databaseUrl } = board.service;
    const { id: companyId } = await admin.companies.create({ name: "Harbour Works" });
    ({ id: agentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "true" },
    }));
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    await sql`
      insert into volumes (id, host, seen_at, abandoned_at)
      values (${volume}, 'quarry', now(), now() + interval '1 hour')`;
    await sql`update agents set volume = ${volume}, volume_since = now() where id = ${agentId}`;
    await sql.end();
  });
  afterAll(() => board?.stop());

  it("are listed for instance admins", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn("/instance");
    await page
      .getByRole("table", { name: "Hosts" })
      .getByRole("row", { name: /^quarry Abandoned .* 1 0$/ })
      .waitFor();
    await expectAccessible();
    expectClean();
    await close();
  });

  it("are named by each agent, which an operator moves to another", async () => {
    const { page, expectClean, expectAccessible, close } = await board.signedIn(`/HAR/agents/${agentId}`);
    const facts = page.getByRole("region", { name: "Facts" });
    await facts.getByText("quarry").waitFor();
    await facts.getByText("Not responding. Abandoned").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Move to another host" }).click();
    await page.getByText("without the agent's workspace files and sessions").waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await facts.getByText("quarry").waitFor({ state: "detached" });
    expectClean();
    await close();
  });
});
