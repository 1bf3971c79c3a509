import { v7 } from "uuid";
import type { Bench } from "../bench.ts";
import { furnish, makeAgents } from "../furnish.ts";
import { latencies, rate } from "../measure.ts";
import type { Row } from "../row.ts";

const callers = 32;
const contenders = 64;
const text = "It is as we thought: the lamp wants oil, and the oil wants ordering.";

/**
 * A transaction for each issue cost most: its begin and commit, its writes to a socket of its own and its bookkeeping.
 * Issues that wait share one. What is left is the way through HTTP, and garbage collection.
 */
const createIssue = async (bench: Bench) => {
  const { companyId } = await furnish(bench);
  const path = `/api/companies/${companyId}/issues`;
  return {
    round: () =>
      rate(callers, bench.options.seconds, (worker) =>
        bench.call(worker, 201, "POST", path, { title: text }),
      ),
  };
};

const costEvent = async (bench: Bench) => {
  const { companyId, agents } = await furnish(bench);
  const path = `/api/companies/${companyId}/cost-events`;
  let next = 0;
  return {
    round: () =>
      rate(callers, bench.options.seconds, (worker) => {
        const agentId = agents[next++ % 50]!;
        return bench.call(worker, 201, "POST", path, {
          agentId,
          provider: "lamp",
          model: "oil",
          costCents: 1,
        });
      }),
  };
};

/**
 * Each worker has an issue of its own; an assigned one wakes its agent, whose runs are part of the measurement: a quarter
 * of a run for each comment. A comment with its share of a run takes 4.8 to 6.0 ms of the processors, the more the colder
 * the service is, of which two allow 330 to 417 a second; a comment alone takes 1.7, and a run 10.
 */
const comment = (assigned: boolean) => async (bench: Bench) => {
  const { companyId, agents } = await furnish(bench);
  const issues = await Promise.all(
    Array.from({ length: callers }, (_, worker) =>
      bench.board.issues.create({
        companyId,
        title: "To be discussed",
        ...(assigned ? { status: "todo" as const, assigneeAgentId: agents[worker]! } : {}),
      }),
    ),
  );
  await bench.idle();
  return {
    round: () =>
      rate(callers, bench.options.seconds, (worker) =>
        bench.call(worker, 201, "POST", `/api/issues/${issues[worker]!.id}/comments`, { body: text }),
      ),
    // Stops their runs, so that they do not disturb other rows.
    end: async () => {
      for (const { id } of issues) await bench.board.issues.update({ issueId: id, status: "cancelled" });
    },
  };
};

/**
 * 64 agents with live runs claim one issue after another, all at once; one wins each time. Everybody looked before the
 * winner's commit, began a transaction and waited for the lock; one does now. What is left is the way through HTTP, with
 * the caller's identity and the issue's company in one packet.
 */
const checkoutRace = async (bench: Bench) => {
  const { board, sql } = bench;
  const { companyId } = await furnish(bench);
  const agents = await makeAgents(board, companyId, contenders, {}, "Racer");
  // A service that is alive during the benchmark supervises them, so none recovers them.
  const serviceId = v7();
  await sql`
    insert into services (id, host, pid, role, started_at, lease_until)
    values (${serviceId}, 'bench', 1, 'worker', now(), now() + interval '1 hour')`;
  const racers = await Promise.all(
    agents.map(async (agentId) => {
      const { token: key } = await board.agents.createKey({ agentId });
      const runId = v7();
      await sql`
        insert into runs (
          id, company_id, agent_id, adapter_type, status, wake_reason, invocation_source, service_id, started_at,
          created_at, updated_at
        )
        values (
          ${runId}, ${companyId}, ${agentId}, 'process', 'running', 'manual', 'on_demand', ${serviceId}, now(), now(), now()
        )`;
      return { agentId, key, runId };
    }),
  );
  const heats = Math.max(5, bench.options.seconds * 10);
  let prizes: string[] = [];
  const claim = async (worker: number, issueId: string): Promise<boolean> => {
    const { agentId, key, runId } = racers[worker]!;
    const { status, body } = await bench
      .connection(worker)
      .call(
        "POST",
        `/api/issues/${issueId}/checkout`,
        key,
        JSON.stringify({ agentId, expectedStatuses: ["todo"] }),
        `x-service-run-id: ${runId}\r\n`,
      );
    if (status !== 200 && status !== 409) throw new Error(`a checkout answered ${status}: ${body}`);
    return status === 200;
  };
  return {
    again: async () => {
      const made = Array.from({ length: heats }, () =>
        board.issues.create({ companyId, title: "To be claimed", status: "todo" }),
      );
      prizes = (await Promise.all(made)).map(({ id }) => id);
    },
    round: async () => {
      const from = performance.now();
      const took: number[] = [];
      const timed = async (worker: number, issueId: string) => {
        const begun = performance.now();
        const won = await claim(worker, issueId);
        took.push(performance.now() - begun);
        return won;
      };
      for (const issueId of prizes) {
        const won = await Promise.all(racers.map((_, worker) => timed(worker, issueId)));
        if (won.filter(Boolean).length !== 1) throw new Error("A race with other than one winner.");
      }
      const operations = heats * contenders;
      return { ...latencies(took), value: (operations * 1000) / (performance.now() - from) };
    },
    end: async () => {
      await sql`update runs set status = 'cancelled', finished_at = now() where service_id = ${serviceId}`;
    },
  };
};

/** Fires routines that always enqueue; their agents are paused, so that only the firing is measured. */
const fireRoutine = async (bench: Bench) => {
  const { board } = bench;
  const { companyId, projectId } = await furnish(bench);
  const agents = await makeAgents(board, companyId, 8, { command: "/bin/true" }, "Keeper");
  const routines = await Promise.all(
    agents.map((assigneeAgentId) =>
      board.routines.create({
        companyId,
        projectId,
        assigneeAgentId,
        title: "Clean the lens",
        concurrencyPolicy: "always_enqueue",
      }),
    ),
  );
  for (const agentId of agents) await board.agents.pause({ agentId });
  return {
    round: () =>
      rate(agents.length, bench.options.seconds, (worker) =>
        bench.call(worker, 202, "POST", `/api/routines/${routines[worker]!.id}/run`, {}),
      ),
  };
};

export const writes: readonly Row[] = [
  {
    name: "create-issue",
    what: "create issue, 32 callers",
    unit: "/s",
    aim: 1200,
    reference: "transaction",
    prepare: createIssue,
  },
  {
    name: "cost-event",
    what: "cost event, 32 callers, 50 agents",
    unit: "/s",
    aim: 1200,
    reference: "hotRow",
    prepare: costEvent,
  },
  {
    name: "checkout-race",
    what: "checkout, 64 contenders",
    unit: "/s",
    aim: 2000,
    reference: "select",
    prepare: checkoutRace,
  },
  {
    name: "comment",
    what: "comment",
    unit: "/s",
    aim: null,
    reference: "transaction",
    prepare: comment(false),
  },
  {
    name: "comment-assigned",
    what: "comment on an assigned issue, with the runs it wakes",
    unit: "/s",
    aim: 400,
    startsRuns: true,
    reference: "transaction",
    prepare: comment(true),
  },
  {
    name: "fire-routine",
    what: "routine firing, always_enqueue",
    unit: "/s",
    aim: 300,
    reference: "transaction",
    prepare: fireRoutine,
  },
];
