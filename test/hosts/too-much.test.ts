import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentCaller } from "../../core/model/access/caller.ts";
import type { App } from "../../hosts/api/endpoint/app.ts";
import { shared } from "../../hosts/api/endpoint/shared-read.ts";
import { recentStatus } from "../../hosts/api/system/health-facts.ts";
import { Admission, type Overloaded } from "../../hosts/http/admission.ts";
import { BodyRoom } from "../../hosts/http/body-memory.ts";
import { json } from "../../hosts/http/respond.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { header, RawSocket } from "../support/raw-socket.ts";
import { waitingClients } from "../support/waiting-clients.ts";

const times = <T>(count: number, each: T): readonly T[] => Array.from({ length: count }, () => each);

describe("Callers have a rate", () => {
  let api: ApiService;
  beforeAll(async () => {
    api = await startApi({ env: { SERVICE_RATE_PER_CALLER: "3", SERVICE_RATE_PER_COMPANY: "5" } });
  });
  afterAll(() => api?.stop());

  const statuses = async (count: number, path: string, token: string) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () => api.request("GET", path, { token })),
    );
    return answers.map(({ status }) => status).sort();
  };
  /** Asks until that rate is used up: on a slow machine the ten seconds end before, and the count begins anew. */
  const refusal = async (limit: "caller" | "company", path: string, tokens: readonly string[]) => {
    const refused = await eventually(
      async () => {
        const answers = await Promise.all(tokens.map((token) => api.request("GET", path, { token })));
        return answers.find(({ status, body }) => status === 429 && body.details.limit === limit);
      },
      (seen) => seen !== undefined,
      { everyMs: 0 },
    );
    return refused!;
  };

  it("a caller over its rate is refused with the time to wait, and no other caller is", async () => {
    const company = await api.company();
    const [noisy, quiet] = [await api.user(company.id, "viewer"), await api.user(company.id, "viewer")];
    expect(await statuses(30, "/api/companies", noisy.token)).toEqual(times(30, 200));
    const refused = await refusal("caller", "/api/companies", [noisy.token]);
    expect(refused.body).toMatchObject({
      code: "too_many_requests",
      details: { retryAfterSec: expect.any(Number) },
    });
    const waits = Number(refused.headers.get("retry-after"));
    expect(waits).toBeGreaterThan(0);
    expect(waits).toBeLessThanOrEqual(10);
    expect(await statuses(1, "/api/companies", quiet.token)).toEqual([200]);
  });

  it("the callers of a company have one together; another company has its own", async () => {
    const [one, other] = [await api.company(), await api.company()];
    const people = [await api.user(one.id, "viewer"), await api.user(one.id, "viewer")];
    const path = `/api/companies/${one.id}/issues`;
    const tokens = people.map(({ token }) => token);
    // The two requests that made them members count for the company, too.
    const all = await Promise.all(tokens.map((token) => statuses(24, path, token)));
    expect(all.flat()).toEqual(times(48, 200));
    expect((await refusal("company", path, tokens)).body.code).toBe("too_many_requests");
    const { token } = await api.user(other.id, "viewer");
    expect(await statuses(1, `/api/companies/${other.id}/issues`, token)).toEqual([200]);
  });

  it("health is answered whatever the rate", async () => {
    const { token } = await api.user((await api.company()).id, "viewer");
    expect(await statuses(40, "/api/health", token)).toEqual(times(40, 200));
  });
});

describe("The rate of a caller", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("counts ten seconds at a time", async () => {
    const admission = new Admission({ inProgress: 10, waitMs: 0, perCaller: 1, perCompany: 0 });
    const caller = { kind: "agent", agentId: "a", companyId: "c" } as AgentCaller;
    const take = () => Effect.runPromise(Effect.result(admission.take(caller, undefined)));
    const admittedOf = async (count: number) => {
      const results = await Promise.all(Array.from({ length: count }, take));
      return results.filter(Result.isSuccess).length;
    };
    expect(await admittedOf(12)).toBe(10);
    vi.advanceTimersByTime(9_000);
    const refused = await take();
    expect(Result.isFailure(refused) && refused.failure.details).toEqual({
      limit: "caller",
      retryAfterSec: 1,
    });
    vi.advanceTimersByTime(1_000);
    expect(await admittedOf(12)).toBe(10);
  });
});

describe("Requests in progress are limited", () => {
  let api: ApiService;
  beforeAll(async () => {
    api = await startApi({ env: { SERVICE_MAX_REQUESTS: "8", SERVICE_DATABASE_POOL: "6" } });
  });
  afterAll(() => api?.stop());

  it("further ones are refused at once while health is answered; the accepted ones are carried out", async () => {
    const company = await api.company();
    const path = `/api/companies/${company.id}/issues`;
    const create = () => api.request("POST", path, { body: { title: "Waits" } });
    const database = postgres(api.databaseUrl, { max: 1 });
    let all: ReturnType<typeof create>[] = [];
    let refused: Awaited<ReturnType<typeof create>> | undefined;
    try {
      await database.begin(async (sql) => {
        await sql`lock table issues in access exclusive mode`;
        all = Array.from({ length: 9 }, create);
        // The table answers nobody: only the one too many has an answer, whichever arrived last.
        refused = await Promise.race(all);
        expect(refused).toMatchObject({ status: 503, body: { code: "overloaded" } });
        expect(refused.headers.get("retry-after")).toBe("1");
        // The accepted requests have all connections of the pool.
        expect((await api.request("GET", "/api/health")).status).toBe(200);
        expect((await api.request("GET", "/metrics")).status).toBe(200);
      });
    } finally {
      await database.end();
    }
    const accepted = (await Promise.all(all)).filter((each) => each !== refused);
    expect(accepted.map(({ status }) => status)).toEqual(times(8, 201));
    expect((await create()).status).toBe(201);
  });

  it.runIf(process.platform === "linux")(
    "further ones are refused, too, where each caller has a new connection; health is not behind them",
    async () => {
      const paths = times(100, "/api/agent-guide");
      const clients = await waitingClients(Number(new URL(api.url).port), [...paths, "/api/health"]);
      const answers = await Promise.all(clients.map((client) => client.answer()));
      expect(answers.pop()!.status).toBe(200);
      const accepted = answers.filter(({ status }) => status === 200).length;
      const refused = answers.filter(({ status }) => status === 503);
      expect(accepted + refused.length).toBe(100);
      // Eight in progress, and for every four connections one of them begins and makes room.
      expect(accepted).toBeGreaterThanOrEqual(8);
      expect(accepted).toBeLessThan(40);
      expect(refused.map((answer) => header(answer, "retry-after"))).toEqual(times(refused.length, "1"));
    },
  );

  it("clients that send their bodies slowly take no place", async () => {
    const company = await api.company();
    const text = JSON.stringify({ title: "Slow" });
    const sockets: RawSocket[] = [];
    // One after the other: until it waits for its body, each takes a place.
    for (let count = 0; count < 12; count++) {
      const socket = await RawSocket.open(Number(new URL(api.url).port));
      socket.request(
        `POST /api/companies/${company.id}/issues HTTP/1.1`,
        "Host: localhost",
        `Authorization: Bearer ${api.token}`,
        "Content-Type: application/json",
        `Content-Length: ${text.length}`,
        "Expect: 100-continue",
      );
      expect(await socket.until(() => socket.text.includes("100 Continue"))).toBe(true);
      socket.send(text.slice(0, 3));
      sockets.push(socket);
    }
    expect((await api.request("GET", `/api/companies/${company.id}/issues`)).status).toBe(200);
    for (const socket of sockets) socket.send(text.slice(3));
    const answers = await Promise.all(sockets.map((socket) => socket.answer()));
    expect(answers.map(({ status }) => status)).toEqual(sockets.map(() => 201));
  });
});

describe("Bodies in memory are limited", () => {
  let api: ApiService;
  beforeAll(async () => {
    api = await startApi({});
  });
  afterAll(() => api?.stop());

  it("a large one over the share of its caller is refused until others are answered; a small one passes", async () => {
    const company = await api.company();
    const path = `/api/companies/${company.id}/issues`;
    const other = await api.user(company.id, "operator");
    const text = JSON.stringify({ title: "Large" }).padEnd(1024 * 1024, " ");
    const sockets: RawSocket[] = [];
    for (let count = 0; count < 9; count++) {
      const socket = await RawSocket.open(Number(new URL(api.url).port));
      socket.request(
        `POST ${path} HTTP/1.1`,
        "Host: localhost",
        `Authorization: Bearer ${api.token}`,
        "Content-Type: application/json",
        `Content-Length: ${text.length}`,
      );
      socket.send(text.slice(0, -1));
      sockets.push(socket);
    }
    const send = (body: string, token = api.token) =>
      fetch(`${api.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      });
    // Whichever finds no room: eight of them have the share of their caller.
    const refused = await eventually(
      async () => sockets.find((socket) => socket.text !== ""),
      (socket) => socket !== undefined,
    );
    const answer = await refused!.answer();
    expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('"overloaded"') });
    expect(header(answer, "retry-after")).toBe("1");
    const waiting = sockets.filter((socket) => socket !== refused);
    expect((await send(JSON.stringify({ title: "Small" }))).status).toBe(201);
    expect((await send(text, other.token)).status).toBe(201);
    for (const socket of waiting) socket.send(text.slice(-1));
    const answers = await Promise.all(waiting.map((socket) => socket.answer()));
    expect(answers.map(({ status }) => status)).toEqual(times(8, 201));
    expect((await send(text)).status).toBe(201);
  });
});

describe("The room for bodies", () => {
  const mebibyte = 1024 * 1024;
  const full = () => {
    const room = new BodyRoom();
    const reservations = ["a", "b", "c", "d"].map((caller) => {
      const reservation = room.enter(caller);
      expect(reservation.take(8 * mebibyte)).toBe(true);
      return reservation;
    });
    return { room, reservations };
  };

  it.each([
    ["a large body of a fifth caller", "e", 65_537, false],
    ["a small body of a fifth caller", "e", 65_536, true],
    ["a small body of a caller with a full share", "a", 65_536, true],
    ["a large body of a caller with a full share", "a", 65_537, false],
  ])("full, for %s", (_, caller, bytes, fits) => {
    expect(full().room.enter(caller).take(bytes)).toBe(fits);
  });

  it("holds only what was taken, and gives it back once", () => {
    const { room, reservations } = full();
    expect(room.enter("e").take(mebibyte)).toBe(false);
    reservations[0]!.leave();
    reservations[0]!.leave();
    expect(room.enter("e").take(8 * mebibyte)).toBe(true);
    expect(room.enter("f").take(mebibyte)).toBe(false);
  });
});

describe("The expected wait of a request is limited", () => {
  /** Admits requests that end on request, at the time of a clock that the test moves. */
  const admitting = (waitMs: number, inProgress = 100_000) => {
    let now = 0;
    const admission = new Admission({ inProgress, waitMs, perCaller: 0, perCompany: 0 }, () => now);
    const ends: (() => void)[] = [];
    const answers: Promise<unknown>[] = [];
    const arrive = (count: number): readonly Overloaded[] => {
      const refused: Overloaded[] = [];
      for (let n = 0; n < count; n++) {
        const work = Effect.callback<void>((resume) => void ends.push(() => resume(Effect.void)));
        const exit = Effect.runPromise(Effect.result(admission.run(work)));
        answers.push(exit);
        void exit.then((result) => Result.isFailure(result) && refused.push(result.failure));
      }
      return refused;
    };
    return {
      passes: (ms: number) => {
        now += ms;
      },
      /** Requests that arrive now; returns the answers to the refused ones. */
      arrive: async (count: number) => {
        const refused = arrive(count);
        await new Promise(setImmediate);
        return refused.map(({ details }) => (details as { retryAfterSec: number }).retryAfterSec);
      },
      end: async (count: number) => {
        for (const end of ends.splice(0, count)) end();
        await new Promise(setImmediate);
      },
      inProgress: () => ends.length,
    };
  };

  it("a burst is admitted, however many come at once, and however slow their answers are", async () => {
    const { arrive, end, passes } = admitting(1_000);
    expect(await arrive(300)).toEqual([]);
    passes(900);
    expect(await arrive(300)).toEqual([]);
    await end(600);
    passes(60_000);
    expect(await arrive(300)).toEqual([]);
  });

  it("64 at once are no overload, even where none of them is answered", async () => {
    const { arrive, passes } = admitting(1_000);
    expect(await arrive(64)).toEqual([]);
    passes(60_000);
    expect(await arrive(1)).toHaveLength(1);
    const patient = admitting(1_000);
    expect(await patient.arrive(63)).toEqual([]);
    patient.passes(60_000);
    expect(await patient.arrive(1)).toEqual([]);
  });

  it("a queue that stands for a second is kept as small as a wait of the limit is long", async () => {
    const { arrive, end, passes, inProgress } = admitting(1_000);
    await arrive(200);
    for (let tenth = 0; tenth < 10; tenth++) {
      passes(100);
      await end(10);
      await arrive(10);
    }
    // 100 answers per second and 200 in progress: two seconds.
    expect(await arrive(2)).toEqual([2, 2]);
    for (let tenth = 0; tenth < 50; tenth++) {
      passes(100);
      await end(10);
      await arrive(50);
    }
    expect(inProgress()).toBe(101);
    expect(await arrive(1)).toEqual([2]);
    await end(1);
    expect(await arrive(1)).toEqual([]);
  });

  it("a queue that is answered fast enough is admitted, whatever its size", async () => {
    const { arrive, end, passes } = admitting(1_000);
    await arrive(900);
    for (let tenth = 0; tenth < 50; tenth++) {
      passes(100);
      await end(100);
      expect(await arrive(100)).toEqual([]);
    }
  });

  it("a lasting queue without answers means a wait of ten seconds; its end ends the refusals", async () => {
    const { arrive, end, passes } = admitting(1_000);
    await arrive(100);
    passes(1_000);
    expect(await arrive(1)).toEqual([10]);
    await end(100);
    expect(await arrive(100)).toEqual([]);
  });

  it("0 is no limit; the number in progress remains one", async () => {
    const { arrive, passes } = admitting(0, 100);
    await arrive(99);
    passes(5_000);
    expect(await arrive(2)).toEqual([10]);
  });
});

describe("Requests that would wait too long are refused", () => {
  let api: ApiService;
  beforeAll(async () => {
    api = await startApi({
      env: { SERVICE_MAX_WAIT_MS: "1000", SERVICE_MAX_REQUESTS: "100000", SERVICE_DATABASE_POOL: "6" },
    });
  });
  afterAll(() => api?.stop());

  it("at their arrival, while health is answered; the accepted ones are carried out", async () => {
    const company = await api.company();
    const path = `/api/companies/${company.id}/issues`;
    const create = () => api.request("POST", path, { body: { title: "Waits" } });
    const database = postgres(api.databaseUrl, { max: 1 });
    const sent: ReturnType<typeof create>[] = [];
    const refused: Awaited<ReturnType<typeof create>>[] = [];
    try {
      await database.begin(async (sql) => {
        await sql`lock table issues in access exclusive mode`;
        const send = async () => {
          const answer = create();
          sent.push(answer);
          const { status, ...rest } = await answer;
          if (status === 503) refused.push({ status, ...rest });
        };
        for (let count = 0; count < 64; count++) void send();
        await eventually(
          async () => void send(),
          () => refused.length > 0,
        );
        expect(sent.length).toBeGreaterThan(64);
        expect(refused[0]!.body.code).toBe("overloaded");
        expect(Number(refused[0]!.headers.get("retry-after"))).toBeGreaterThan(0);
        expect((await api.request("GET", "/api/health")).status).toBe(200);
        expect((await api.request("GET", "/metrics")).status).toBe(200);
      });
    } finally {
      await database.end();
    }
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(sent.length - refused.length);
    expect((await create()).status).toBe(201);
  });
});

describe("A caller who has left", () => {
  let api: ApiService;
  beforeAll(async () => {
    api = await startApi({ env: { SERVICE_DATABASE_POOL: "6" } });
  });
  afterAll(() => api?.stop());

  const port = () => Number(new URL(api.url).port);
  const send = async (method: string, path: string, body = "") => {
    const socket = await RawSocket.open(port());
    socket.request(
      `${method} ${path} HTTP/1.1`,
      "Host: localhost",
      `Authorization: Bearer ${api.token}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    );
    return socket.send(body);
  };

  it("has no read carried out any more, while a change that had begun is completed", async () => {
    const company = await api.company();
    const path = `/api/companies/${company.id}/issues`;
    const database = postgres(api.databaseUrl, { max: 2 });
    /** The statements of the service that wait for the table. */
    const waiting = async () =>
      (
        await database`select query from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and state = 'active' and query not like 'lock table%'`
      ).map(({ query }) => query as string);
    try {
      await database.begin(async (sql) => {
        await sql`lock table issues in access exclusive mode`;
        const readers = [];
        for (let n = 0; n < 3; n++) readers.push(await send("GET", `${path}/search?q=crane${n}`));
        const reads = await eventually(waiting, (seen) => seen.length > 0);
        for (const { socket } of readers) socket.destroy();
        expect(reads.every((query) => /^\s*(with|select)/i.test(query))).toBe(true);
        await eventually(waiting, (seen) => seen.length === 0);
        const writer = await send("POST", path, JSON.stringify({ title: "Stays" }));
        await eventually(waiting, (seen) => seen.length > 0);
        writer.socket.destroy();
      });
      await eventually(
        async () => (await api.request("GET", path)).body as { title: string }[],
        (issues) => issues.some(({ title }) => title === "Stays"),
      );
    } finally {
      await database.end();
    }
  });
});

describe("The status of the service for anybody", () => {
  const failing = { now: "2026-01-01T00:00:00.000Z", fails: false, reads: 0 };
  const app = {
    clock: { now: () => failing.now },
    adapters: { known: () => [] },
    service: { recentOutage: async () => null },
    views: {
      operations: {
        now: () =>
          Effect.suspend(() => {
            failing.reads++;
            return failing.fails
              ? Effect.die(new Error("silent"))
              : Effect.succeed({ oldestDueTickAt: null });
          }),
      },
    },
  } as unknown as App;
  const ask = () => Effect.runPromiseExit(recentStatus(app));

  it("is read once a second, however many ask, and a failure is never remembered", async () => {
    const exits = await Promise.all(times(100, null).map(ask));
    expect(exits.every((exit) => Exit.isSuccess(exit) && exit.value === "ok")).toBe(true);
    // Those who ask during the first read share the next one.
    expect(failing.reads).toBeLessThanOrEqual(2);
    await ask();
    expect(failing.reads).toBeLessThanOrEqual(2);
    const before = failing.reads;
    failing.now = "2026-01-01T00:00:01.000Z";
    failing.fails = true;
    expect(Exit.isFailure(await ask())).toBe(true);
    failing.fails = false;
    expect(Exit.isSuccess(await ask())).toBe(true);
    expect(failing.reads).toBe(before + 2);
    // The clock was set back.
    failing.now = "2025-12-31T00:00:00.000Z";
    await ask();
    expect(failing.reads).toBe(before + 3);
  });
});

describe("The description of the interface", () => {
  it("is written once for all who ask", () => {
    const description = shared({ openapi: "3.1.0" });
    expect(json(200, description).body).toBe(json(200, description).body);
    expect(json(200, description).body).toBeInstanceOf(Buffer);
  });
});
