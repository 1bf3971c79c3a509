import { get } from "node:http";
import type { Bench } from "../bench.ts";
import { type Furniture, furnish, makeIssues } from "../furnish.ts";
import { latency, rate } from "../measure.ts";
import type { Prepared, Row } from "../row.ts";

const callers = 32;

/** 32 callers read; those who read the same list at the same time share a look at the database. */
const reading =
  (path: (found: Furniture, worker: number) => string) =>
  async (bench: Bench): Promise<Prepared> => {
    const found = await furnish(bench);
    const paths = Array.from({ length: callers }, (_, worker) => path(found, worker));
    return {
      round: () =>
        rate(callers, bench.options.seconds, (worker) => bench.call(worker, 200, "GET", paths[worker]!)),
    };
  };

/** The reports that the page of the spend reads. */
const spendReports = ["summary", "by-day", "by-agent", "by-project", "by-issue?count=10", "by-provider"];

const pairedStatuses = ["backlog", "todo", "in_progress", "in_review", "blocked", "done"];

/** Another pair of statuses for each caller, so that no two share a read. */
const ownPair = (worker: number): string => {
  const first = worker % pairedStatuses.length;
  const second = (first + 1 + (Math.floor(worker / pairedStatuses.length) % 5)) % pairedStatuses.length;
  return `${pairedStatuses[first]},${pairedStatuses[second]}&limit=${worker < 30 ? 50 : 51}`;
};

/** Each caller reads the next page of a company of so many issues, and the first one after the last. */
const walking = (count: number) => async (bench: Bench) => {
  const { board, sql } = bench;
  const { id: companyId, issuePrefix } = await board.companies.create({ name: `Walk of ${count}` });
  await makeIssues(sql, { companyId, issuePrefix, projectId: null, count });
  await sql`vacuum analyze`;
  const limit = 50;
  const pages = [`/api/companies/${companyId}/issues?limit=${limit}`];
  for (let cursor: string | null = null; ; ) {
    const { next } = await board.issues.list({ companyId, limit, ...(cursor === null ? {} : { cursor }) });
    if (next === null) break;
    pages.push(`${pages[0]}&cursor=${encodeURIComponent(next)}`);
    cursor = next;
  }
  let at = 0;
  return {
    round: () =>
      rate(callers, bench.options.seconds, (worker) =>
        bench.call(worker, 200, "GET", pages[at++ % pages.length]!),
      ),
  };
};

/** One caller reads the same path in sequence. */
const waiting = (path: (found: Furniture) => string) => async (bench: Bench) => {
  const at = path(await furnish(bench));
  return { round: () => latency(bench.options.seconds * 10, () => bench.call(0, 200, "GET", at)) };
};

/** Compares the size on the wire of a list of 50 with and without compression. */
const wireSize = async (bench: Bench) => {
  const { companyId } = await furnish(bench);
  const bytes = (encoding: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${bench.token}`, "accept-encoding": encoding };
      get(`${bench.service.url}/api/companies/${companyId}/issues?limit=50`, { headers }, async (answer) => {
        let sum = 0;
        for await (const chunk of answer) sum += (chunk as Buffer).length;
        resolve(sum);
      }).on("error", reject);
    });
  return {
    round: async () => ({ value: (await bytes("br, gzip")) / (await bytes("identity")), operations: 2 }),
  };
};

export const reads: readonly Row[] = [
  {
    name: "health",
    what: "GET health",
    unit: "/s",
    aim: null,
    reference: "answer",
    prepare: reading(() => "/api/health"),
  },
  // Its cost was: three statements in two round trips for each request, jsonb of each ancestor, a schedule of repeats for
  // each read, and copies of rows of 33 fields. It is two statements in one packet, requests of one turn share the first,
  // and a request allocates 95 KB instead of 127. What is left of the processor time: writes to sockets, half to callers
  // and half to the database, 25 %, the client of the database 13 %, collection of garbage 12 %, Effect 10 %, node:http
  // and hyper-express 8 %, the rest in parts below 3 %. A bare answer of node:http is a tenth of it.
  {
    name: "get-issue",
    what: "GET issue with 4 ancestors",
    unit: "/s",
    aim: 2500,
    reference: "select",
    prepare: reading(({ leaf }) => `/api/issues/${leaf}`),
  },
  {
    name: "list-issues",
    what: "list of 50 issues, all callers the same filter",
    unit: "/s",
    aim: 1500,
    reference: "select",
    prepare: reading(({ companyId }) => `/api/companies/${companyId}/issues?status=todo,blocked&limit=50`),
  },
  // Its cost was: 1,300 values of a page became texts, rows, copies and JSON again, and 60 KB of JSON went from the
  // database to the service, and became a text there, for each page. Writing that JSON was three quarters of the
  // database's time, because PostgreSQL looks up the type of each column of each row. A page reads the versions of its
  // rows now, and the JSON of those that the service has not shown in this version: of 1.7 ms a page 1.0 is left, two
  // thirds of it in the service. Of the JSON in PostgreSQL, texts joined by `concat`, `json_object`
  // and one text of the page took longer.
  {
    name: "list-issues-own",
    what: "list of 50 issues, each caller another filter",
    unit: "/s",
    aim: 1500,
    reference: "select",
    prepare: reading(
      ({ companyId }, worker) => `/api/companies/${companyId}/issues?status=${ownPair(worker)}`,
    ),
  },
  {
    name: "list-issues-kept",
    what: "list of 50 issues, page by page, all rows kept",
    unit: "/s",
    aim: null,
    reference: "select",
    prepare: walking(1_000),
  },
  // They are three times what the service keeps, of which it drops the oldest first. A page takes two statements, and twice
  // the processor time of a page whose rows are kept: on a busy machine 5.3 ms, 2.6 ms when kept, in rounds in turn.
  {
    name: "list-issues-new",
    what: "list of 50 issues, page by page, all rows new to the service",
    unit: "/s",
    aim: null,
    reference: "select",
    prepare: walking(10_000),
  },
  {
    name: "list-agents",
    what: "list of 300 agents",
    unit: "/s",
    aim: 600,
    reference: "select",
    prepare: reading(({ companyId }) => `/api/companies/${companyId}/agents`),
  },
  // A word of the newest issues is found by walking them until 1,000 match, a rare one by the index, and one of many old
  // issues alone by the index for one time after the other. On a busy machine, in turns with a walk to those, at a million
  // issues: 29 ms of the database's processor time, 785 ms by the walk.
  {
    name: "search-word",
    what: "search for a word of 70 % of the issues",
    unit: "ms",
    aim: 30,
    prepare: waiting(({ companyId }) => `/api/companies/${companyId}/issues/search?q=lamp`),
  },
  {
    name: "search-old",
    what: "search for a word of the oldest third of the issues alone",
    unit: "ms",
    aim: 50,
    prepare: waiting(({ companyId }) => `/api/companies/${companyId}/issues/search?q=wick`),
  },
  {
    name: "search-list",
    what: "the same word as q= of the list",
    unit: "ms",
    aim: 30,
    prepare: waiting(({ companyId }) => `/api/companies/${companyId}/issues?q=lamp&limit=50`),
  },
  {
    name: "count-status",
    what: "count of a status",
    unit: "ms",
    aim: 3,
    prepare: waiting(({ companyId }) => `/api/companies/${companyId}/issues/count?status=todo`),
  },
  {
    name: "list-activity",
    what: "list of 100 activity entries",
    unit: "/s",
    aim: null,
    reference: "select",
    prepare: reading(({ companyId }) => `/api/companies/${companyId}/activity?limit=100`),
  },
  {
    name: "list-runs",
    what: "list of 50 runs",
    unit: "/s",
    aim: null,
    reference: "select",
    prepare: reading(({ companyId }) => `/api/companies/${companyId}/heartbeat-runs?limit=50`),
  },
  {
    name: "pulse",
    what: "pulse of a company",
    unit: "/s",
    aim: null,
    reference: "select",
    prepare: reading(({ companyId }) => `/api/companies/${companyId}/pulse`),
  },
  {
    name: "spend",
    what: "spend reports of this month, each of the six in turn",
    unit: "/s",
    aim: null,
    reference: "select",
    prepare: reading(
      ({ companyId }, worker) =>
        `/api/companies/${companyId}/costs/${spendReports[worker % spendReports.length]}`,
    ),
  },
  {
    name: "inbox",
    what: "inbox of a company",
    unit: "/s",
    aim: null,
    reference: "select",
    prepare: reading(({ companyId }) => `/api/companies/${companyId}/inbox?limit=50`),
  },
  {
    name: "wire-size",
    what: "list of 50 on the wire, of its plain size",
    unit: "×",
    aim: 0.5,
    prepare: wireSize,
  },
];
