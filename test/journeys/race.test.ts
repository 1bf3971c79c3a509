import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { httpTransport } from "../../hosts/library/http-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

const racers = 24;
const rounds = 100;

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
      boards.push(openClient(httpTransport({ baseUrl: program.url, token: await program.token() })));
    }
    companyId = (await boards[0]!.companies.create({ name: "Race" })).id;
  });
  afterAll(async () => {
    for (const program of programs) await program.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Live runs without a supervisor: neither process is a worker, so none ends them. */
  const line = async (): Promise<readonly Racer[]> => {
    const [admin] = boards as [Client];
    const sql = postgres(database.url, { max: 1 });
    const all: Racer[] = [];
    try {
      for (let n = 1; n <= racers; n++) {
        const { id: agentId } = await admin.agents.create({
          companyId,
          name: `Racer ${n}`,
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

  it(`of ${racers} agents that claim one issue one wins, ${rounds} times in a row`, async () => {
    const field = await line();
    const winners = new Map<string, number>();
    for (let round = 1; round <= rounds; round++) {
      const { id: issueId, identifier } = await boards[round % 2]!.issues.create({
        companyId,
        title: `Round ${round}`,
        status: "todo",
      });
      const answers = await Promise.all(
        field.map(({ agentId, key, runId }, n) =>
          fetch(`${programs[n % 2]!.url}/api/issues/${issueId}/checkout`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${key}`,
              "x-service-run-id": runId,
              "content-type": "application/json",
            },
            body: JSON.stringify({ agentId, expectedStatuses: ["todo"] }),
          }).then(async (answer): Promise<Answer> => ({ status: answer.status, body: await answer.json() })),
        ),
      );
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
      for (const answer of lost) expect(told(answer)).toEqual(refusal(issueId, winner));
      for (const board of boards)
        expect(await board.issues.get({ issueId })).toMatchObject({
          assigneeAgentId: winner.agentId,
          checkoutRunId: winner.runId,
        });
    }
    // Neither its order nor its service decides the winner.
    expect(winners.size).toBeGreaterThan(2);
  }, 300_000);

  const told = ({ status, body }: Answer) => ({ status, code: body.code, details: body.details });

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
