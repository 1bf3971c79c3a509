import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { times } from "../support/sample.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

const racers = 24;
const rounds = times(30, 100);

interface Racer {
  readonly agentId: string;
  readonly key: string;
  readonly runId: string;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an issue or a refusal
  readonly body: any;
}

describe("two service processes on one database", () => {
  let database: TestDatabase;
  let folder: string;
  const programs: ServiceProgram[] = [];
  const boards: Client[] = [];
  let companyId: string;

  beforeAll(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), "race-"));
    for (const name of ["one", "two"]) {
      const program = await serveProgram(
        join(folder, name),
        { DATABASE_URL: database.url, SERVICE_SECRETS_MASTER_KEY: "00".repeat(32) },
        ["--role", "api"],
      );
      programs.push(program);
      boards.push(await program.board());
    }
    companyId = (await boards[0]!.companies.create({ name: "Race" })).id;
  });
  afterAll(async () => {
    for (const program of programs) await program.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Live runs without a supervisor: neither process is a worker, so none ends them. */
  const line = async (called = "Racer"): Promise<readonly Racer[]> => {
    const [admin] = boards as [Client];
    const sql = postgres(database.url, { max: 1 });
    const all: Racer[] = [];
    try {
      for (let n = 1; n <= racers; n++) {
        const { id: agentId } = await admin.agents.create({
          companyId,
          name: `${called} ${n}`,
          adapterType: "process",
        });
        const { token: key } = await admin.agents.createKey({ agentId });
        const runId = v7();
        await sql`
          insert into runs (
            id, company_id, agent_id, adapter_type, status, wake_reason, invocation_source, started_at, created_at,
            updated_at
          )
          values (${runId}, ${companyId}, ${agentId}, 'process', 'running', 'manual', 'on_demand', now(), now(), now())
        `;
        all.push({ agentId, key, runId });
      }
    } finally {
      await sql.end();
    }
    return all;
  };

  const claim = async (n: number, issueId: string, { agentId, key, runId }: Racer): Promise<Answer> => {
    const answer = await fetch(`${programs[n % 2]!.url}/api/issues/${issueId}/checkout`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "x-service-run-id": runId,
        "content-type": "application/json",
      },
      body: JSON.stringify({ agentId, expectedStatuses: ["todo"] }),
    });
    return { status: answer.status, body: await answer.json() };
  };

  it(`of ${racers} agents that claim one issue one wins, ${rounds} times in a row`, async () => {
    const all = await line();
    const winners = new Map<string, number>();
    for (let round = 1; round <= rounds; round++) {
      // At each service the first to ask is the first to claim, so each round begins with another.
      const field = [...all.slice(round % racers), ...all.slice(0, round % racers)];
      const { id: issueId, identifier } = await boards[round % 2]!.issues.create({
        companyId,
        title: `Round ${round}`,
        status: "todo",
      });
      const answers = await Promise.all(field.map((racer, n) => claim(n, issueId, racer)));
      const won = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
      expect(won, `round ${round}: ${answers.map(({ status }) => status)}`).toHaveLength(1);
      const winner = field[won[0]!]!;
      winners.set(winner.agentId, (winners.get(winner.agentId) ?? 0) + 1);
      expect(answers[won[0]!]!.body).toMatchObject({
        id: issueId,
        identifier,
        status: "in_progress",
        assigneeAgentId: winner.agentId,
        assigneeUserId: null,
        checkoutRunId: winner.runId,
      });
      const lost = answers.filter((_, n) => n !== won[0]);
      for (const answer of lost) expect(refused(answer)).toEqual(refusal(issueId, winner));
      for (const board of boards)
        expect(await board.issues.get({ issueId })).toMatchObject({
          assigneeAgentId: winner.agentId,
          checkoutRunId: winner.runId,
        });
    }
    // Neither the agent nor its service decides the winner.
    expect(winners.size).toBeGreaterThan(2);
  }, 300_000);

  it("another agent wins where the first of each service is ended before it commits", async () => {
    const field = await line(`Late racer ${v7()}`);
    const { id: issueId } = await boards[0]!.issues.create({ companyId, title: "Locked", status: "todo" });
    const sql = postgres(database.url, { max: 2, onnotice: () => {} });
    const waitForLock = (count: number) =>
      eventually(
        async () => sql`
          select  from pg_stat_activity
          where   datname = current_database()
          and     wait_event in ('transactionid', 'tuple')
          and     query ilike '%issues%'
        `,
        (waiting) => waiting.length >= count,
        { everyMs: 10 },
      );
    try {
      const holder = await sql.reserve();
      await holder`begin`;
      await holder`select from issues where id = ${issueId} for no key update`;
      const first = field.slice(0, 2).map((racer, n) => claim(n, issueId, racer));
      await waitForLock(2);
      const others = field.slice(2).map((racer, n) => claim(n, issueId, racer));
      const ended = field.slice(0, 2).map(({ runId }) => runId);
      await sql`update runs set status = 'cancelled', finished_at = now() where id = any(${ended})`;
      await holder`commit`;
      holder.release();
      for (const answer of await Promise.all(first))
        expect(answer).toMatchObject({ status: 401, body: { code: "run_ended" } });
      const answers = await Promise.all(others);
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      const winner = field.find(({ runId }) => runId === winners[0]!.body.checkoutRunId)!;
      for (const answer of answers)
        if (answer !== winners[0]) expect(refused(answer)).toEqual(refusal(issueId, winner));
      expect(await boards[1]!.issues.get({ issueId })).toMatchObject({ assigneeAgentId: winner.agentId });
    } finally {
      await sql.end({ timeout: 5 });
    }
  });

  const refused = ({ status, body }: Answer) => ({ status, code: body.code, details: body.details });

  const refusal = (issueId: string, winner: Racer) => ({
    status: 409,
    code: "issue_held_by_another",
    details: {
      issueId,
      status: "in_progress",
      assigneeAgentId: winner.agentId,
      assigneeUserId: null,
      checkoutRunId: winner.runId,
      heldSince: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  });
});
