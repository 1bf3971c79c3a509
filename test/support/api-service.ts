import postgres from "postgres";
import { checkAnswer } from "./check-answer.ts";
import {
  type RawAnswer,
  type RawRequest,
  startService,
  type TestService,
  type TestServiceOptions,
} from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any;

/**
 * A whole service over real HTTP; every answer is checked against the declared schema. It answers requests and carries
 * out no runs (unless `role` says so): a run of a woken agent stays queued, and so live, until it is cancelled. Each file
 * has one of its own: it starts in 0.4 s, so that sharing one would save under 1 % of the suite, and files would depend on
 * each other's users.
 */
export interface ApiService {
  readonly url: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** The token of an instance admin, used by requests that name no other. */
  readonly token: string;
  /** The database underneath. */
  readonly sql: postgres.Sql;
  /** The number of its transactions that wait for a lock. */
  waiting(): Promise<number>;
  request(method: string, path: string, options?: RawRequest): Promise<RawAnswer>;
  get(path: string, options?: RawRequest): Promise<RawAnswer>;
  post(path: string, body?: unknown, options?: RawRequest): Promise<RawAnswer>;
  patch(path: string, body: unknown, options?: RawRequest): Promise<RawAnswer>;
  put(path: string, body: unknown, options?: RawRequest): Promise<RawAnswer>;
  delete(path: string, options?: RawRequest): Promise<RawAnswer>;
  /** Returns the body of a POST that must succeed. */
  make(path: string, body?: unknown, options?: RawRequest): Promise<Json>;
  company(name?: string): Promise<Json>;
  agent(companyId: string, fields?: object): Promise<Json>;
  issue(companyId: string, fields?: object): Promise<Json>;
  /** Creates a board user with that role in the company, or with none. */
  user(companyId: string | null, role?: string): Promise<{ id: string; token: string }>;
  /** The agent as a caller with a long-lived key in a live run of its own; `issueId` is the run's issue. */
  atWork(agentId: string, issueId?: string): Promise<AgentAtWork>;
  stop(): Promise<void>;
}

export interface AgentAtWork {
  readonly agentId: string;
  readonly runId: string;
  readonly token: string;
  /** The headers of its requests. */
  readonly as: RawRequest;
}

let serial = 0;

export const startApi = async (options: TestServiceOptions = {}): Promise<ApiService> =>
  apiOn(await startService({ role: "api", ...options }));

/** The interface of a service that a test has started. */
export const apiOn = (service: TestService): ApiService => {
  const sql = postgres(service.databaseUrl, { max: 2, onnotice: () => {} });
  const request: ApiService["request"] = async (method, path, raw) => {
    const answer = await service.request(method, path, raw);
    checkAnswer(method, path, answer);
    return answer;
  };
  const post: ApiService["post"] = (path, body, raw) => request("POST", path, { body, ...raw });
  const make: ApiService["make"] = async (path, body, raw) => {
    const answer = await post(path, body, raw);
    if (answer.status >= 300)
      throw new Error(`POST ${path} → ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    url: service.url,
    dataDir: service.dataDir,
    databaseUrl: service.databaseUrl,
    token: service.token,
    sql,
    waiting: async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `;
      return waiting.length;
    },
    request,
    get: (path, raw) => request("GET", path, raw),
    post,
    patch: (path, body, raw) => request("PATCH", path, { body, ...raw }),
    put: (path, body, raw) => request("PUT", path, { body, ...raw }),
    delete: (path, raw) => request("DELETE", path, raw),
    make,
    company: (name = `Company ${++serial}`) => make("/api/companies", { name }),
    agent: (companyId, fields = {}) =>
      make(`/api/companies/${companyId}/agents`, {
        name: `Agent ${++serial}`,
        adapterType: "process",
        adapterConfig: { command: "true" },
        ...fields,
      }),
    issue: (companyId, fields = {}) =>
      make(`/api/companies/${companyId}/issues`, { title: `Issue ${++serial}`, ...fields }),
    user: async (companyId, role) => {
      const { id } = await make("/api/board-users", { name: `User ${++serial}` });
      if (companyId !== null) {
        const set = await request("PUT", `/api/companies/${companyId}/members/${id}`, { body: { role } });
        if (set.status !== 200) throw new Error(JSON.stringify(set.body));
      }
      const { token } = await make("/api/board-tokens", { name: "test", userId: id });
      return { id, token };
    },
    atWork: async (agentId, issueId) => {
      const { token } = await make(`/api/agents/${agentId}/keys`);
      const { id: runId } = await make(`/api/agents/${agentId}/heartbeat/invoke`, { issueId });
      return { agentId, runId, token, as: { token, headers: { "x-service-run-id": runId } } };
    },
    stop: async () => {
      await sql.end();
      await service.stop();
    },
  };
};
