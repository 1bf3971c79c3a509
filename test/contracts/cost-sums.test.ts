import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CostEvent, CostsFolded } from "../../core/model/costs/cost-event.ts";
import type { Period } from "../../core/model/costs/period.ts";
import type { AgentId, CompanyId, CostEventId, IssueId, RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { foldCosts } from "../../core/money/fold-costs.ts";
import type { RunCost } from "../../core/money/record-cost.ts";
import { reportCost } from "../../core/money/report-cost.ts";
import { recordCost } from "../../core/runs/record-cost.ts";
import { Moment } from "../../hosts/api/endpoint/values.ts";
import type { CostTotals } from "../../ports/views/cost-views.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aProject,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { storedSums, sumCosts } from "../support/cost-sums.ts";
import { waitingForLock } from "../support/lock-waits.ts";
import * as nouns from "../support/nouns.ts";
import { reportsTo } from "../support/report-cost.ts";
import { contextOf } from "../support/units.ts";

let storage: TestStorage;
let at: Instant = "2024-03-15T12:00:00.000Z";
const clock = { now: () => at };
const ids = { newId: () => newId() as never };

beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage?.close());

/** A company with three agents, two projects, three issues, and two running runs of each agent. */
const furnished = async () => {
  const { id: companyId } = await aCompany(storage);
  const agents = await Promise.all([1, 2, 3].map(() => anAgent(storage, { companyId })));
  const projects = await Promise.all([1, 2].map(() => aProject(storage, { companyId })));
  const issues = await Promise.all(
    [projects[0]!.id, projects[1]!.id, null].map((projectId) => anIssue(storage, { companyId, projectId })),
  );
  const runs = agents.flatMap(({ id }) =>
    issues.slice(1).map((issue) => ({ id: newId<RunId>(), agentId: id, issueId: issue.id })),
  );
  for (const run of runs) await insertRun(companyId, run);
  return { companyId, agents, projects, issues, runs };
};

const insertRun = (companyId: CompanyId, run: { id: RunId; agentId: AgentId; issueId: IssueId }) =>
  storage.sql`
    insert into runs (
      id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source, service_id, started_at,
      created_at, updated_at
    )
    values (
      ${run.id}, ${companyId}, ${run.agentId}, ${run.issueId}, 'process', 'running', 'issue_assigned', 'assignment',
      ${newId()}, now(), now(), now()
    )`;

const report = reportsTo(() => storage, clock);

const note = (run: { id: RunId; agentId: AgentId }, companyId: CompanyId, cost: RunCost) =>
  Effect.runPromise(recordCost(contextOf(storage.transactor, clock))({ ...run, companyId }, cost));

const aCost = (fields: Partial<RunCost> = {}): RunCost => ({
  provider: "acme",
  model: "m",
  billingType: "metered",
  usage: { inputTokens: 1, cachedInputTokens: 2, outputTokens: 3 },
  costCents: 5,
  estimated: false,
  ...fields,
});

/** The events, as they are stored. */
const eventsOf = (companyId: CompanyId) =>
  storage.sql<CostEvent[]>`select * from cost_events where company_id = ${companyId}`;

/** Adds up by hand; a millionth of a cent is the unit, so that the sum is exact. */
const totalsOf = (events: readonly CostEvent[]): CostTotals => {
  const sum = (of: readonly CostEvent[], each: (event: CostEvent) => number) =>
    of.reduce((total, event) => total + each(event), 0);
  const cents = (of: readonly CostEvent[]) =>
    Math.floor(sum(of, ({ costCents }) => Math.round(costCents * 1e6)) / 1e6);
  const unknown = events.filter(({ costStatus }) => costStatus === "unknown");
  return {
    costCents: cents(events),
    pricedCents: cents(events.filter(({ costStatus }) => costStatus === "priced")),
    inputTokens: sum(events, ({ inputTokens }) => inputTokens),
    cachedInputTokens: sum(events, ({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: sum(events, ({ outputTokens }) => outputTokens),
    eventCount: events.length,
    unknownEventCount: unknown.length,
    unknownTokens: sum(unknown, (event) => event.inputTokens + event.cachedInputTokens + event.outputTokens),
  };
};

const runCount = (events: readonly CostEvent[]) => new Set(events.flatMap(({ runId }) => runId ?? [])).size;

/** By the key of each group, its totals and number of runs. */
const grouped = (events: readonly CostEvent[], keyOf: (event: CostEvent) => string) =>
  new Map(
    [...new Set(events.map(keyOf))].map((key) => {
      const of = events.filter((event) => keyOf(event) === key);
      return [key, { totals: totalsOf(of), runs: runCount(of) }] as const;
    }),
  );

/** All reports of the period are those of its events. */
const expectExact = async (
  companyId: CompanyId,
  { from, to }: Period,
  agentId: AgentId,
  shown?: { readonly events: readonly CostEvent[]; readonly days: readonly string[] },
) => {
  const events = (shown?.events ?? (await eventsOf(companyId))).filter(
    ({ occurredAt }) => from <= occurredAt && occurredAt < to,
  );
  const { costs } = storage.views;
  const period = { from, to };
  const [spent, total, byAgent, byProject, byProvider, byIssue, byDay, byDayOfAgent, byAgentAndDay] =
    await Effect.runPromise(
      Effect.all([
        costs.spent(companyId, period),
        costs.total(companyId, period),
        costs.byAgent(companyId, period),
        costs.byProject(companyId, period),
        costs.byProvider(companyId, period),
        costs.byIssue(companyId, period, 500),
        costs.byDay(companyId, period, undefined),
        costs.byDay(companyId, period, agentId),
        costs.byAgentAndDay(companyId, period),
      ]),
    );
  const sum = totalsOf(events);
  expect(spent).toEqual({ costCents: sum.costCents, unknownEventCount: sum.unknownEventCount });
  expect(total).toEqual({ ...sum, budgetCents: 0 });
  /** Each group is shown once, with its sums; the dearest first. */
  const expectGroups = <Row extends CostTotals>(
    rows: readonly Row[],
    keyOf: (of: Row | CostEvent) => string,
  ): void => {
    const groups = grouped(events, keyOf);
    expect(rows.map(keyOf).sort()).toEqual([...groups.keys()].sort());
    for (const row of rows) {
      const group = groups.get(keyOf(row))!;
      expect(row).toMatchObject(group.totals);
      if ("runCount" in row) expect(row.runCount).toBe(group.runs);
    }
    const costs = rows.map(({ costCents }) => costCents);
    expect(costs).toEqual([...costs].sort((a, b) => b - a));
  };
  expectGroups(byAgent, (of) => (of as CostEvent).agentId);
  expectGroups(byProject, (of) => `${(of as CostEvent).projectId}`);
  expectGroups(byIssue, (of) => `${(of as CostEvent).issueId}`);
  expectGroups(byProvider, (of) => {
    const { provider, model, billingType } = of as CostEvent;
    return JSON.stringify([provider, model, billingType]);
  });
  const agentDays = grouped(events, (event) => `${event.occurredAt.slice(0, 10)} ${event.agentId}`);
  expect(byAgentAndDay.map((row) => `${row.day} ${row.agentId}`).sort()).toEqual(
    [...agentDays.keys()].sort(),
  );
  for (const row of byAgentAndDay)
    expect(row).toMatchObject(agentDays.get(`${row.day} ${row.agentId}`)!.totals);
  for (const [days, of] of [
    [byDay, events],
    [byDayOfAgent, events.filter((event) => event.agentId === agentId)],
  ] as const) {
    const groups = grouped(of, ({ occurredAt }) => occurredAt.slice(0, 10));
    expect(days.map(({ day }) => day)).toEqual(shown?.days ?? daysIn(period));
    for (const { day, ...sums } of days) expect(sums).toEqual(groups.get(day)?.totals ?? totalsOf([]));
  }
};

const dayMs = 86_400_000;
const daysIn = ({ from, to }: Period): readonly string[] => {
  const days: string[] = [];
  for (let day = Math.floor(Date.parse(from) / dayMs) * dayMs; day < Date.parse(to); day += dayMs)
    days.push(new Date(day).toISOString().slice(0, 10));
  return days;
};

/** The sums are those that the events give when they are added up anew. */
const expectSumsMatchEvents = async (sql: TestStorage["sql"] = storage.sql): Promise<void> => {
  const stored = await storedSums(sql);
  class Undone extends Error {}
  const undone = sql.begin(async (tx) => {
    await sumCosts(tx);
    expect(stored).toEqual(await storedSums(tx));
    throw new Undone();
  });
  await expect(undone).rejects.toThrow(Undone);
};

/** Instants around the borders of days and months, written in some zone. */
const moment = fc
  .tuple(
    fc.constantFrom("2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02", "2024-03-31", "2024-04-01"),
    fc.oneof(fc.constantFrom(0, 1, -1), fc.integer({ min: 0, max: dayMs - 1 })),
    fc.constantFrom(0, 330, -300, 840),
  )
  .map(([day, millis, offset]) => {
    const local = new Date(Date.parse(day) + millis + offset * 60_000).toISOString().slice(0, -1);
    const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
    const two = (n: number) => `${n}`.padStart(2, "0");
    return Moment.parse(`${local}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`);
  });

const border = fc.oneof(
  moment,
  fc.constantFrom("2024-02-29", "2024-03-01", "2024-03-02", "2024-04-01").map((day) => Moment.parse(day)),
);
const period = fc.oneof(
  fc.tuple(border, border).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a })),
  fc.constantFrom(
    { from: "2024-02-01T00:00:00.000Z", to: "2024-03-01T00:00:00.000Z" },
    { from: "2024-03-01T00:00:00.000Z", to: "2024-04-01T00:00:00.000Z" },
    { from: "2024-02-01T00:00:00.000Z", to: "2024-05-01T00:00:00.000Z" },
  ),
);
const tokens = fc.constantFrom(0, 1, 7, 1e12);
const word = fc.constantFrom("a", "b", "a".repeat(500));

const target = fc.record({
  agent: fc.nat(2),
  project: fc.option(fc.nat(1)),
  issue: fc.option(fc.nat(2)),
  run: fc.option(fc.nat(1)),
});
const reported = fc.record({
  kind: fc.constant("report" as const),
  target,
  provider: word,
  model: word,
  billingType: fc.option(word, { nil: undefined }),
  inputTokens: tokens,
  cachedInputTokens: tokens,
  outputTokens: tokens,
  costCents: fc.option(fc.nat(300), { nil: undefined }),
  costStatus: fc.option(fc.constantFrom("reported" as const, "priced" as const), { nil: undefined }),
  occurredAt: moment,
});
const costNote = fc.record({
  kind: fc.constant("note" as const),
  run: fc.nat(5),
  at: moment,
  cost: fc.record({
    provider: word,
    model: word,
    billingType: word,
    usage: fc.record({ inputTokens: tokens, cachedInputTokens: tokens, outputTokens: tokens }),
    costCents: fc.option(fc.integer({ min: 0, max: 3_000_000 }).map((millionths) => millionths / 1e6)),
    estimated: fc.boolean(),
  }),
});
const step = fc.oneof(
  // Those of one step wait for each other, so that one transaction records several.
  fc.array(reported, { minLength: 1, maxLength: 5 }),
  costNote.map((each) => [each]),
);

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never;

/** Reports of the board, and what adapters note, as `furnished` has it. Returns which were refused. */
const carryOut = async (
  { companyId, agents, projects, issues, runs }: Awaited<ReturnType<typeof furnished>>,
  steps: readonly Step[],
): Promise<readonly unknown[]> => {
  const reporting = reportCost({ transactor: storage.transactor, clock, ids });
  const refused: unknown[] = [];
  for (const batch of steps)
    await Promise.all(
      batch.map(async (each) => {
        if (each.kind === "note") {
          at = each.at;
          return note(runs[each.run]!, companyId, each.cost);
        }
        const { kind: _, target: of, ...fields } = each;
        const agentId = agents[of.agent]!.id;
        const ownRuns = runs.filter((run) => run.agentId === agentId);
        const reported = await Effect.runPromise(
          Effect.result(
            reporting({
              ...fields,
              id: newId<CostEventId>(),
              companyId,
              by: nouns.theBoard,
              agentId,
              projectId: of.project === null ? undefined : projects[of.project]!.id,
              issueId: of.issue === null ? undefined : issues[of.issue]!.id,
              runId: of.run === null ? undefined : ownRuns[of.run]!.id,
            }),
          ),
        );
        if (Result.isFailure(reported)) refused.push(reported.failure);
      }),
    );
  return refused;
};

describe("The kept sums of costs", () => {
  it("show in every report what its events add up to: of any period, back-dated, in any zone, and reported anew", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.array(period, { minLength: 1, maxLength: 4 }),
        async (steps, periods) => {
          const company = await furnished();
          expect(await carryOut(company, steps)).toEqual([]);
          const { companyId, agents } = company;
          for (const each of periods)
            if (each.from < each.to) await expectExact(companyId, each, agents[0]!.id);
        },
      ),
      { numRuns: 20 },
    );
    await expectSumsMatchEvents();
  });

  it("count a run once in a period, on however many of its days it cost something, in whatever order they are reported", async () => {
    const { companyId, agents, runs } = await furnished();
    const days = ["2024-03-05", "2024-03-09", "2024-03-01", "2024-03-07", "2024-03-07", "2024-03-31"];
    for (const day of days) {
      await report(agents[0]!, 5, { runId: runs[0]!.id, occurredAt: `${day}T10:00:00.000Z` });
      await expectSumsMatchEvents();
    }
    const counted = async (from: string, to: string) =>
      (
        await Effect.runPromise(
          storage.views.costs.byAgent(companyId, { from: Moment.parse(from), to: Moment.parse(to) }),
        )
      ).map((row) => row.runCount);
    expect(await counted("2024-03-01", "2024-04-01")).toEqual([1]);
    expect(await counted("2024-03-02", "2024-03-08")).toEqual([1]);
    expect(await counted("2024-03-08", "2024-03-09")).toEqual([]);
    expect(await counted("2024-03-05T10:00:00Z", "2024-03-09T10:00:00Z")).toEqual([1]);
    expect(await counted("2024-03-05T10:00:01Z", "2024-03-07T09:00:00Z")).toEqual([]);
  });

  it("keep a day whose tokens are more than a bigint holds", async () => {
    const { companyId, agents } = await furnished();
    await storage.sql`
      insert into cost_events (
        id, company_id, agent_id, source, provider, model, billing_type, cost_status, input_tokens,
        cached_input_tokens, output_tokens, cost_cents, occurred_at, created_at
      )
      select uuidv4, ${companyId}, ${agents[0]!.id}, 'api', 'acme', 'm', 'unknown', 'unknown', 9223372036854775807,
             0, 0, 0, '2024-03-03T00:00:00Z', now()
      from   (values (gen_random_uuid()), (gen_random_uuid())) as made (uuidv4)`;
    await storage.sql.begin(sumCosts);
    await report(agents[0]!, 5, { occurredAt: "2024-03-03T23:59:59.999Z", inputTokens: 1e12 });
    await expectSumsMatchEvents();
    const march = { from: "2024-03-01T00:00:00.000Z", to: "2024-04-01T00:00:00.000Z" };
    const total = await Effect.runPromise(storage.views.costs.total(companyId, march));
    expect(total.inputTokens).toBe(2 * 2 ** 63 + 1e12);
  });

  it("forget a model whose only cost was that of another, in truth", async () => {
    const { companyId, runs } = await furnished();
    at = "2024-03-15T12:00:00.000Z";
    await note(runs[0]!, companyId, aCost({ model: "guessed", estimated: true }));
    await note(runs[0]!, companyId, aCost({ model: "true", costCents: 7 }));
    const day = { from: "2024-03-15T00:00:00.000Z", to: "2024-03-16T00:00:00.000Z" };
    expect(await Effect.runPromise(storage.views.costs.byProvider(companyId, day))).toMatchObject([
      { model: "true", costCents: 7, eventCount: 1 },
    ]);
    await expectSumsMatchEvents();
  });

  it("stay with the project in which a run's cost was first recorded, as its event does", async () => {
    const { companyId, projects, issues, runs } = await furnished();
    at = "2024-03-15T12:00:00.000Z";
    const run = runs.find(({ issueId }) => issueId === issues[1]!.id)!;
    await note(run, companyId, aCost({ costCents: 5 }));
    await storage.run((stores) => stores.issues.save({ ...issues[1]!, projectId: projects[0]!.id }));
    await note(run, companyId, aCost({ costCents: 9 }));
    const day = { from: "2024-03-15T00:00:00.000Z", to: "2024-03-16T00:00:00.000Z" };
    expect(await Effect.runPromise(storage.views.costs.byProject(companyId, day))).toMatchObject([
      { projectId: projects[1]!.id, costCents: 9 },
    ]);
    await expectSumsMatchEvents();
  });

  it("are changed with their events or not at all, and by nobody else before the end of the transaction", async () => {
    const { companyId, agents, runs } = await furnished();
    const occurredAt = "2024-03-03T10:00:00.000Z";
    await report(agents[0]!, 5, { occurredAt, runId: runs[0]!.id });
    const before = await storedSums(storage.sql);
    const event = (await eventsOf(companyId))[0]!;
    let second: Promise<unknown> = Promise.resolve();
    class Crash extends Error {}
    const crashed = storage.run((stores) =>
      Effect.gen(function* () {
        yield* stores.companies.lock(companyId).pipe(Effect.orDie);
        const another = { ...event, id: newId<CostEventId>(), occurredAt: "2024-03-02T10:00:00.000Z" };
        const again = { ...another, source: "api" as const };
        yield* stores.costs.record([{ event: again, replaces: null }]);
        second = report(agents[0]!, 11, { occurredAt, runId: runs[0]!.id });
        yield* Effect.promise(() => waitingForLock(storage.sql, 1));
        yield* Effect.promise(async () => expect(await storedSums(storage.sql)).toEqual(before));
        yield* Effect.die(new Crash());
      }),
    );
    await expect(crashed).rejects.toThrow(Crash);
    await second;
    await expectSumsMatchEvents();
    const day = { from: "2024-03-03T00:00:00.000Z", to: "2024-03-04T00:00:00.000Z" };
    const total = await Effect.runPromise(storage.views.costs.total(companyId, day));
    expect(total).toMatchObject({ costCents: 16, eventCount: 2 });
  });

  // The last, because it folds the events of all companies.
  it("show the same of any period of whole days once their events are folded, which take no more reports", async () => {
    const ended = fc.record({ run: fc.nat(5), at: moment });
    const round = fc.record({
      steps: fc.array(step, { maxLength: 5 }),
      ends: fc.array(ended, { maxLength: 4 }),
      foldAt: fc.constantFrom("2024-04-03", "2024-05-03", "2024-06-03").map((day) => Moment.parse(day)),
    });
    let folded = 0;
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(round, { minLength: 1, maxLength: 3 })
          .map((rounds) => [...rounds].sort((a, b) => (a.foldAt < b.foldAt ? -1 : 1))),
        fc.array(period, { minLength: 1, maxLength: 4 }),
        async (rounds, periods) => {
          const company = await furnished();
          const { companyId, agents, runs } = company;
          const all = new Map<string, CostEvent>();
          const see = async () => {
            for (const event of await eventsOf(companyId)) all.set(event.id, event);
          };
          const before = async () =>
            (
              await storage.sql<{ before: Instant }[]>`
                select before from cost_folds where company_id = ${companyId}`
            )[0]?.before ?? null;
          for (const { steps, ends, foldAt } of rounds) {
            // An adapter notes nothing of a run that has ended.
            const running = await storage.sql<{ id: string }[]>`
              select id from runs where company_id = ${companyId} and finished_at is null`;
            const isRunning = (n: number) => running.some(({ id }) => id === runs[n]!.id);
            const possible = steps.map((batch) =>
              batch.filter((each) => each.kind === "report" || isRunning(each.run)),
            ) as typeof steps;
            for (const refusal of await carryOut(company, possible))
              expect(refusal).toBeInstanceOf(CostsFolded);
            for (const end of ends)
              await storage.sql`
                update runs set finished_at = ${end.at}, status = 'succeeded'
                where id = ${runs[end.run]!.id} and finished_at is null`;
            await see();
            at = foldAt;
            while (await Effect.runPromise(foldCosts(contextOf(storage.transactor, clock))(31)));
          }
          const foldedBefore = await before();
          const left = await eventsOf(companyId);
          folded += all.size - left.length;
          const isLive = async (id: string | null) =>
            id !== null &&
            (
              await storage.sql`select from runs where id = ${id} and (finished_at is null or finished_at >= ${foldedBefore})`
            ).length > 0;
          for (const event of left)
            if (foldedBefore !== null && event.occurredAt < foldedBefore)
              expect(
                (await isLive(event.runId)) ||
                  left.some(({ runId, occurredAt }) => runId === event.runId && occurredAt >= foldedBefore),
              ).toBe(true);
          // Of a folded day the whole counts, at its beginning.
          const midnight = (time: Instant, round: (days: number) => number): Instant =>
            foldedBefore === null || time >= foldedBefore
              ? time
              : new Date(round(Date.parse(time) / dayMs) * dayMs).toISOString();
          const events = [...all.values()].map((event) => ({
            ...event,
            occurredAt: midnight(event.occurredAt, Math.floor),
          }));
          for (const { from, to } of periods)
            if (from < to)
              await expectExact(companyId, { from, to }, agents[0]!.id, {
                events,
                days: daysIn({ from: midnight(from, Math.ceil), to: midnight(to, Math.ceil) }),
              });
        },
      ),
      { numRuns: 20 },
    );
    expect(folded).toBeGreaterThan(20);
  });
});
