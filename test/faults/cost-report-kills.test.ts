import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { httpTransport } from "../../hosts/library/http-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";
import { storedSums, sumCosts } from "../support/cost-sums.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

let folder: string;
let database: TestDatabase;
let token: string;
const services: ServiceProgram[] = [];

const serve = async (name: string): Promise<ServiceProgram> => {
  const service = await serveProgram(join(folder, name), {
    DATABASE_URL: database.url,
    SERVICE_LOG_LEVEL: "error",
    SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
  });
  services.push(service);
  return service;
};
const clientOf = ({ url }: ServiceProgram): Client => openClient(httpTransport({ baseUrl: url, token }));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "boardroom-costs-"));
  database = await createDatabase();
  token = await (await serve("first")).token();
});
afterAll(async () => {
  for (const service of services) await service.stop("SIGKILL");
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

it("A service killed while it records many reports: each counts once, however often it is repeated", async () => {
  const [first, second] = [services[0]!, await serve("second")];
  const board = clientOf(second);
  const { id: companyId } = await board.companies.create({ name: "Ledger" });
  const agents = await Promise.all(
    ["Ada", "Bob", "Cleo"].map((name) =>
      board.agents.create({ companyId, name, adapterType: "process", budgetMonthlyCents: 60 }),
    ),
  );
  const doomed = clientOf(first);
  const report = (client: Client, n: number) =>
    client.costs.report({
      companyId,
      agentId: agents[n % 3]!.id,
      provider: "acme",
      model: "m",
      costCents: 1,
      eventId: `event ${n}`,
    });
  let answered = 0;
  const unanswered: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < 400) {
      const n = next++;
      try {
        await report(n % 2 === 0 ? doomed : board, n);
        answered += 1;
      } catch {
        unanswered.push(n);
      }
      if (answered === 100) first.child.kill("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  expect(unanswered.length).toBeGreaterThan(0);
  for (const n of unanswered) await report(board, n);
  // Also those whose first answer came.
  for (let n = 0; n < 400; n += 40) await report(board, n);

  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  try {
    const counted = await sql`
      select  scope_id as id, spent_cents::integer as cents
      from    budget_months
      where   company_id = ${companyId}`;
    const sums = new Map(counted.map(({ id, cents }) => [id, cents]));
    expect(sums.get(companyId)).toBe(400);
    expect(agents.map(({ id }) => sums.get(id))).toEqual([134, 133, 133]);
    const [events] = await sql`
      select  count(*)::integer as n, sum(cost_cents)::integer as cents
      from    cost_events
      where   company_id = ${companyId}`;
    expect(events).toEqual({ n: 400, cents: 400 });
    // The reports read the sums of the events.
    const stored = await storedSums(sql);
    await sql.begin(sumCosts);
    expect(await storedSums(sql)).toEqual(stored);
    const reported = await board.costs.byAgent({ companyId });
    expect(reported.map(({ costCents, eventCount }) => [costCents, eventCount])).toEqual([
      [134, 134],
      [133, 133],
      [133, 133],
    ]);
    const entries = await sql`
      select    action, count(*)::integer as n
      from      activity
      where     company_id = ${companyId}
      and       action like any (array['budget.%', 'cost.reported'])
      group by  action
      order by  action`;
    expect(entries).toEqual([
      { action: "budget.hard_threshold_crossed", n: 3 },
      { action: "budget.soft_threshold_crossed", n: 3 },
      { action: "cost.reported", n: 400 },
    ]);
  } finally {
    await sql.end({ timeout: 5 });
  }
});
