import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readEvents } from "../../hosts/library/event-reader.ts";
import { type Balancer, startBalancer } from "../support/balancer.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { carriersOf } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

/** Many times longer than the balancer's interval, because both share a busy machine. */
const drainSec = 3;

/** One of the four services, with what its successor needs. */
interface Instance {
  readonly role: "api" | "worker";
  readonly dataDir: string;
  readonly url: string;
  readonly port: number;
  service: ServiceProgram;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("two services that answer and two that run agents, restarted one after another under load", () => {
  let database: TestDatabase;
  let sql: postgres.Sql;
  let folder: string;
  let balancer: Balancer;
  let token: string;
  const instances: Instance[] = [];

  const serve = ({ role, dataDir, port }: Omit<Instance, "service">) =>
    serveProgram(
      dataDir,
      {
        DATABASE_URL: database.url,
        SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
        SERVICE_DRAIN_SEC: String(drainSec),
        SERVICE_AGENT_URL: balancer.url,
        PORT: String(port),
      },
      ["--role", role],
    );
  const isLive = ({ url }: Instance) =>
    eventually(
      async () => balancer.isLive(url),
      (live) => live,
    );
  /** Stops one service after another and starts its successor; the next follows when the successor is healthy. */
  const restartAll = async () => {
    for (const instance of instances) {
      expect(await instance.service.stop(), instance.service.output()).toBe(0);
      instance.service = await serve(instance);
      if (instance.role === "api") await isLive(instance);
    }
  };

  beforeAll(async () => {
    database = await createDatabase();
    sql = postgres(database.url, { max: 2, onnotice: () => {}, transform: postgres.camel });
    folder = await mkdtemp(join(tmpdir(), "rolling-"));
    await mkdir(join(folder, "blobs"), { mode: 0o700 });
    const drafts = await Promise.all(
      (["api", "api", "worker", "worker"] as const).map(async (role, n) => {
        const port = await freePort();
        const dataDir = join(folder, `${n}`);
        await mkdir(dataDir, { mode: 0o700 });
        await symlink(join(folder, "blobs"), join(dataDir, "blobs"));
        return { role, dataDir, port, url: `http://127.0.0.1:${port}` };
      }),
    );
    balancer = await startBalancer(drafts.filter(({ role }) => role === "api").map(({ url }) => url));
    for (const draft of drafts) instances.push({ ...draft, service: await serve(draft) });
    token = await instances[0]!.service.token();
    for (const instance of instances) if (instance.role === "api") await isLive(instance);
  }, 180_000);
  afterAll(async () => {
    for (const { service } of instances) await service.stop();
    balancer?.close();
    await sql?.end();
    await database?.drop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }, 180_000);

  /** Requests that were answered with a server's error, or not at all, and streams that broke off. */
  const failures: string[] = [];
  const send = async (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Json }> => {
    try {
      const answer = await fetch(balancer.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status >= 500) failures.push(`${method} ${path}: ${answer.status} ${text}`);
      return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
    } catch (error) {
      failures.push(`${method} ${path}: ${(error as Error).message}`);
      return { status: 0, body: null };
    }
  };
  const make = async (path: string, body: object): Promise<Json> => {
    const made = await send("POST", path, body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body;
  };

  /** Reads events after an id, reconnecting with the last one, and gives the ids up to the event that holds the words. */
  const follow = async (
    companyId: string,
    after: string | null,
    words: string,
  ): Promise<readonly string[]> => {
    const seen: string[] = [];
    let last = after;
    for (;;) {
      try {
        const answer = await fetch(`${balancer.url}/api/companies/${companyId}/events`, {
          headers: { authorization: `Bearer ${token}`, ...(last === null ? {} : { "last-event-id": last }) },
        });
        if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
        for await (const { id, event, data } of readEvents(answer.body!, (arriving) => arriving)) {
          seen.push(id);
          last = id;
          if (`${event} ${JSON.stringify(data)}`.includes(words)) return seen;
        }
      } catch (error) {
        failures.push(`a stream of events: ${(error as Error).message}`);
        await pause(100);
      }
    }
  };

  it("no accepted request, event or run is lost or appears twice", { timeout: 300_000 }, async () => {
    const { id: companyId } = await make("/api/companies", { name: "Round the Clock" });
    const issues = `/api/companies/${companyId}/issues`;
    const marks = join(folder, "marks");
    const over = join(folder, "over");
    await writeFile(marks, "");
    const agent = (name: string, script: string): Promise<Json> =>
      make(`/api/companies/${companyId}/agents`, {
        name,
        adapterType: "process",
        adapterConfig: {
          command: "/bin/sh",
          args: ["-c", `echo "$SERVICE_RUN_ID" | tee -a ${marks}; ${script}`],
        },
      });
    // The last two are at work whenever a service stops.
    const untilOver = `while [ ! -e ${over} ]; do sleep 0.2; done`;
    const runners = await Promise.all(
      ["true", "true", "sleep 1", untilOver, untilOver].map((script, n) => agent(`Runner ${n}`, script)),
    );
    const discussed: readonly Json[] = await Promise.all(
      runners.map(({ id: assigneeAgentId }, n) =>
        make(issues, { title: `Topic ${n}`, status: "backlog", assigneeAgentId }),
      ),
    );
    // Paused agents start no run for the issue that they win.
    const contenders = await Promise.all([0, 1, 2, 3].map((n) => agent(`Contender ${n}`, "true")));
    for (const { id } of contenders) expect((await send("POST", `/api/agents/${id}/pause`)).status).toBe(200);

    const [begin] = await follow(companyId, null, "stream.opened");
    const lastTitle = "Last of all";
    const readers = [1, 2, 3].map(() => follow(companyId, begin!, lastTitle));

    let isOver = false;
    const callers = (count: number, everyMs: number, once: (n: number) => Promise<unknown>) =>
      Array.from({ length: count }, async (_, n) => {
        while (!isOver) {
          await once(n);
          await pause(everyMs);
        }
      });
    const created: string[] = [];
    const winners: { readonly id: string; readonly assigneeAgentId: string }[] = [];
    const races: number[][] = [];
    let attempts = 0;
    let comments = 0;
    let spentCents = 0;
    const load = [
      ...callers(4, 40, async () => {
        const title = `Title ${++attempts}`;
        if ((await send("POST", issues, { title })).status === 201) created.push(title);
      }),
      ...callers(runners.length, 150, async (n) => {
        const answer = await send("POST", `/api/issues/${discussed[n].id}/comments`, { body: "Once more." });
        if (answer.status === 201) comments += 1;
      }),
      ...callers(2, 40, async (n) => {
        const event = { agentId: runners[n].id, provider: "lamp", model: "oil", costCents: 1 + n };
        const { status } = await send("POST", `/api/companies/${companyId}/cost-events`, event);
        if (status === 201) spentCents += event.costCents;
      }),
      ...callers(1, 50, async () => {
        const { status: made, body: prize } = await send("POST", issues, { title: "Prize", status: "todo" });
        if (made !== 201) return;
        const answers = await Promise.all(
          contenders.map(({ id: agentId }) =>
            send("POST", `/api/issues/${prize.id}/checkout`, { agentId, expectedStatuses: ["todo"] }),
          ),
        );
        races.push(answers.map(({ status }) => status).sort());
        for (const { status, body } of answers)
          if (status === 200) winners.push({ id: prize.id, assigneeAgentId: body.assigneeAgentId });
      }),
      ...callers(2, 40, () => send("GET", `${issues}?limit=20`)),
    ];
    try {
      await restartAll();
    } finally {
      isOver = true;
      await writeFile(over, "");
      await Promise.all(load);
    }

    await eventually(
      () => sql`
        select (select count(*)::integer from wakes where status = 'pending') as wakes,
               (select count(*)::integer from runs where status in ('queued', 'running')) as runs
      `,
      ([left]) => left!.wakes + left!.runs === 0,
      { withinMs: 120_000, everyMs: 200 },
    );
    await make(issues, { title: lastTitle });
    const seen = await Promise.all(readers);
    console.info(
      `${created.length} issues, ${comments} comments, ${winners.length} races, ${spentCents} cents, ` +
        `${seen[0]!.length} events`,
    );

    expect({ failures, lost: balancer.lost }).toEqual({ failures: [], lost: [] });

    const titles = await sql`select title from issues where title like 'Title %'`;
    expect(titles.map(({ title }) => title).sort()).toEqual(created.sort());
    for (const statuses of races) expect(statuses).toEqual([200, 409, 409, 409]);
    const prizes = await sql`
      select id, assignee_agent_id from issues where title = 'Prize' and status = 'in_progress'`;
    const byId = (one: Json, other: Json) => (one.id < other.id ? -1 : 1);
    expect([...prizes].sort(byId)).toEqual(winners.sort(byId));
    const { body: summary } = await send("GET", `/api/companies/${companyId}/costs/summary`);
    expect(summary.spendCents).toBe(spentCents);

    const events = await follow(companyId, begin!, lastTitle);
    expect(new Set(events).size).toBe(events.length);
    for (const ids of seen) expect(ids).toEqual(events);

    const wakes = await sql`
      select    wakes.status, runs.status as run_status
      from      wakes
      left join runs on runs.id = wakes.run_id
      where     wakes.reason = 'issue_commented'`;
    expect(wakes).toHaveLength(comments);
    expect(new Set(wakes.map(({ status }) => status))).toEqual(new Set(["started", "coalesced"]));
    expect(wakes.filter(({ runStatus }) => runStatus === null)).toEqual([]);

    const runs = await sql`
      select id, status, error_code
      from   runs
      where  agent_id = any(${runners.map(({ id }) => id)}::uuid[])`;
    const ends = new Map(runs.map(({ status, errorCode }) => [`${status} ${errorCode}`, null]));
    expect([...ends.keys()].sort()).toEqual(["interrupted service_shutdown", "succeeded null"]);
    // A run that a stop interrupts is taken up by a later run, and never by two at once.
    const unfinished = await sql`
      select id
      from   runs interrupted
      where  status = 'interrupted'
      and    not exists (
               select
               from   runs later
               where  later.issue_id = interrupted.issue_id
               and    later.started_at >= interrupted.finished_at
               and    later.status = 'succeeded'
             )`;
    expect(unfinished).toEqual([]);
    const overlapping = await sql`
      select one.id, other.id as other_id
      from   runs one
      join   runs other on other.issue_id = one.issue_id and other.id > one.id
      where  one.started_at < other.finished_at
      and    other.started_at < one.finished_at`;
    expect(overlapping).toEqual([]);

    const began = (await readFile(marks, "utf8")).trim().split("\n");
    expect(new Set(began).size).toBe(began.length);
    const finished = runs.filter(({ status }) => status === "succeeded").map(({ id }) => id);
    expect(finished.filter((id) => !began.includes(id))).toEqual([]);
    for (const id of [finished[0]!, finished.at(-1)!]) {
      const { body: log } = await send("GET", `/api/heartbeat-runs/${id}/log`);
      // Output comes in pieces that end anywhere.
      const pieces: readonly Json[] = log.content
        .trim()
        .split("\n")
        .map((line: string) => JSON.parse(line));
      expect(pieces.map(({ chunk }) => chunk).join("")).toContain(id);
    }
    expect(carriersOf(runs.map(({ id }) => id))).toEqual([]);
  });
});
