import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

let folder: string;
let database: TestDatabase;
const services: ServiceProgram[] = [];
const boards: Client[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "boardroom-creates-"));
  database = await createDatabase();
  for (const name of ["first", "second"]) {
    const service = await serveProgram(
      join(folder, name),
      { DATABASE_URL: database.url, SERVICE_SECRETS_MASTER_KEY: "00".repeat(32) },
      ["--role", "api"],
    );
    services.push(service);
    boards.push(await service.board());
  }
});
afterAll(async () => {
  for (const service of services) await service.stop("SIGKILL");
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

it("A service killed while it creates many issues: each is stored whole or not at all, and none twice", async () => {
  const [doomed, board] = boards as [Client, Client];
  const { id: companyId } = await board.companies.create({ name: "Harbour" });
  const { id: assigneeAgentId } = await board.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
  });
  await board.agents.pause({ agentId: assigneeAgentId });
  const answered: string[] = [];
  let unanswered = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < 400) {
      const n = next++;
      const title = `Issue ${n}`;
      try {
        await (n % 2 === 0 ? doomed : board).issues.create({ companyId, title, assigneeAgentId });
        answered.push(title);
      } catch {
        unanswered += 1;
      }
      if (answered.length === 100) services[0]!.child.kill("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  expect(unanswered).toBeGreaterThan(0);

  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  try {
    const stored = await sql`
      select    issue.title,
                (select count(*)::integer from issue_watchers of where of.issue_id = issue.id) as watchers,
                (select count(*)::integer from wakes of where of.issue_id = issue.id) as wakes,
                (
                  select  count(*)::integer
                  from    activity of
                  where   of.entity_id = issue.id
                  and     of.action = 'issue.created'
                ) as entries
      from      issues issue
      where     issue.company_id = ${companyId}
    `;
    const titles = stored.map(({ title }) => title as string);
    expect(new Set(titles).size).toBe(titles.length);
    expect(answered.filter((title) => !titles.includes(title))).toEqual([]);
    for (const issue of stored) expect(issue).toMatchObject({ watchers: 1, wakes: 1, entries: 1 });
    const [entries] = await sql`
      select count(*)::integer as n from activity where company_id = ${companyId} and action = 'issue.created'
    `;
    expect(entries!.n).toBe(titles.length);
  } finally {
    await sql.end({ timeout: 5 });
  }
});
