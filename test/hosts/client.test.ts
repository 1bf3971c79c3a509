import { afterEach, describe, expect, expectTypeOf, test } from "vitest";
import { endpoints } from "../../hosts/api/index.ts";
import type { Client } from "../../hosts/library/client.ts";
import { BoardroomError, ServiceUnreachable } from "../../hosts/library/client-error.ts";
import { readEvents } from "../../hosts/library/event-reader.ts";
import { httpTransport } from "../../hosts/library/http-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";
import { collectGarbage } from "../support/collect-garbage.ts";
import { eventually } from "../support/eventually.ts";
import { type ReceivedRequest, type StubAnswer, stubService } from "../support/stub-service.ts";

const companyId = "0193a0f0-0000-7000-8000-000000000001";
const issueId = "0193a0f0-0000-7000-8000-000000000002";
const agentId = "0193a0f0-0000-7000-8000-000000000003";

let close = async () => {};
afterEach(() => close());

const clientOf = async (answer: (request: ReceivedRequest) => StubAnswer) => {
  const stub = await stubService(answer);
  close = stub.close;
  return { client: openClient(httpTransport({ baseUrl: `${stub.url}/`, token: "brd_test" })), stub };
};

describe("the client has the shape of the declarations", () => {
  test("every endpoint is a function under its group and name", () => {
    const client = openClient(async () => ({ status: 200, headers: {}, body: "{}" })) as unknown as Record<
      string,
      Record<string, unknown>
    >;
    for (const { group, action } of endpoints) expect(client[group]?.[action]).toBeTypeOf("function");
  });

  test("the types describe input and output", () => {
    type Checkout = Parameters<Client["issues"]["checkout"]>[0];
    expectTypeOf<Checkout["issueId"]>().toEqualTypeOf<string>();
    expectTypeOf<Checkout["agentId"]>().toEqualTypeOf<string>();
    expectTypeOf<Checkout["expectedStatuses"][number]>().toEqualTypeOf<
      "backlog" | "todo" | "in_progress" | "in_review" | "done" | "blocked" | "cancelled"
    >();
    type List = Parameters<Client["issues"]["list"]>[0];
    expectTypeOf<List["limit"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<
      Awaited<ReturnType<Client["issues"]["list"]>>["items"][number]["identifier"]
    >().toEqualTypeOf<string>();
    expectTypeOf<Awaited<ReturnType<Client["system"]["agentGuide"]>>>().toEqualTypeOf<string>();
    expectTypeOf<Client["agents"]["me"]>().toBeCallableWith();
    // @ts-expect-error a call that names an issue cannot go without one
    expectTypeOf<Client["issues"]["release"]>().toBeCallableWith();
  });
});

describe("a call over HTTP", () => {
  test("puts path, query and body where the declaration puts them, and answers with the JSON", async () => {
    const { client, stub } = await clientOf(() => ({ json: { id: issueId } }));
    const claimed = await client.issues.checkout({ issueId: "ABC/1 ü", agentId, expectedStatuses: ["todo"] });
    expect(claimed.id).toBe(issueId);
    expect(stub.requests[0]).toMatchObject({
      method: "POST",
      url: "/api/issues/ABC%2F1%20%C3%BC/checkout",
      body: { agentId, expectedStatuses: ["todo"] },
      headers: { authorization: "Bearer brd_test", "content-type": "application/json" },
    });
    await client.agents.update({ agentId: "alice", companyId, title: null });
    expect(stub.requests[1]).toMatchObject({
      method: "PATCH",
      url: `/api/agents/alice?companyId=${companyId}`,
      body: { title: null },
    });
  });

  test("a call without a body sends none", async () => {
    const { client, stub } = await clientOf(() => ({ json: {} }));
    await client.issues.release({ issueId });
    expect(stub.requests[0]?.body).toBeUndefined();
    expect(stub.requests[0]?.headers["content-type"]).toBeUndefined();
  });

  test("idempotency key and run are sent as headers", async () => {
    const { client, stub } = await clientOf(() => ({ status: 201, json: {} }));
    await client.issues.comment({ issueId, body: "hello" }, { idempotencyKey: "k", runId: "r" });
    expect(stub.requests[0]?.headers).toMatchObject({ "idempotency-key": "k", "x-service-run-id": "r" });
  });

  test("lists in a query are joined by commas and flags are words", async () => {
    const { client, stub } = await clientOf(() => ({ json: [] }));
    await client.issues.list({ companyId, status: ["todo", "blocked"], limit: 5 });
    await client.goals.list({ companyId, archived: true });
    expect(stub.requests.map(({ url }) => url.split("?")[1])).toEqual([
      "status=todo%2Cblocked&limit=5",
      "archived=true",
    ]);
  });

  test("a page gives the next cursor, and all() reads every page", async () => {
    const { client } = await clientOf(({ url }) =>
      url.includes("cursor=two")
        ? { json: [{ id: "c" }] }
        : { json: [{ id: "a" }, { id: "b" }], headers: { "X-Next-Cursor": "two" } },
    );
    const page = await client.issues.list({ companyId });
    expect(page.next).toBe("two");
    const ids: string[] = [];
    for await (const { id } of client.issues.list.all({ companyId })) ids.push(id);
    expect(ids).toEqual(["a", "b", "c"]);
  });

  test("plain text stays text", async () => {
    const { client } = await clientOf(() => ({ text: "# Guide" }));
    expect(await client.system.agentGuide()).toBe("# Guide");
  });
});

describe("errors", () => {
  test("a refusal is thrown with its status, code, sentence and details", async () => {
    const { client } = await clientOf(() => ({
      status: 409,
      json: { error: "Somebody else has it.", code: "issue_held", details: { issueId } },
    }));
    const refusal = await client.issues.release({ issueId }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BoardroomError);
    expect(refusal).toMatchObject({
      status: 409,
      code: "issue_held",
      message: "Somebody else has it.",
      details: { issueId },
    });
  });

  test("too_many gives the waiting time", async () => {
    const { client } = await clientOf(() => ({
      status: 429,
      headers: { "retry-after": "7" },
      json: { error: "Slow down.", code: "too_many" },
    }));
    await expect(client.system.health()).rejects.toMatchObject({ retryAfterSec: 7 });
  });

  test("a proxy's page is a refusal that names the status", async () => {
    const { client } = await clientOf(() => ({ status: 502, text: "<html>" }));
    await expect(client.system.health()).rejects.toMatchObject({ status: 502, code: "http_502" });
  });

  test("an unreachable service is reported with the address", async () => {
    const { client, stub } = await clientOf(() => ({ json: {} }));
    await stub.close();
    close = async () => {};
    const failure = await client.system.health().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceUnreachable);
    expect((failure as Error).message).toBe(`No response from ${stub.url}: nothing is listening there.`);
  });

  test("a redirect is not followed, so that the token goes nowhere else", async () => {
    const { client, stub } = await clientOf(({ url }) =>
      url === "/elsewhere" ? { json: {} } : { status: 307, headers: { location: "/elsewhere" }, text: "" },
    );
    const failure = await client.system.health().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceUnreachable);
    expect((failure as Error).message).toBe(`No response from ${stub.url}: it redirects to another address.`);
    expect(stub.requests.map(({ url }) => url)).toEqual(["/api/health"]);
  });

  test("an aborted call rejects with the signal's reason", async () => {
    const { client } = await clientOf(() => ({ json: {} }));
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(client.agents.me({}, { signal })).rejects.toThrow("enough");
  });
});

describe("events", () => {
  const event = (id: number) => `id: ${id}\nevent: activity.logged\ndata: {"n":${id}}\n\n`;

  test("comments, CRLF and split events are parsed as the standard says", async () => {
    const text = `: hello\n\nid: 1\r\nevent: a\r\ndata: {"text":\r\ndata: "ü"}\r\n\r\nid: 2\ndata: 2\n\nid: 3\ndata: 3\n`;
    const bytes = new TextEncoder().encode(text);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const read = [];
    for await (const one of readEvents(stream, (arriving) => arriving)) read.push(one);
    expect(read).toEqual([
      { id: "1", event: "a", data: { text: "ü" } },
      { id: "2", event: "message", data: 2 },
    ]);
  });

  test("after a lost connection a follower resumes at its position", async () => {
    let connections = 0;
    const { client, stub } = await clientOf(() => {
      connections++;
      return connections === 1
        ? { stream: event(1) + event(2), cut: true }
        : connections === 2
          ? { stream: event(3) }
          : { status: 401, json: { error: "Gone.", code: "unauthenticated" } };
    });
    const seen: number[] = [];
    for await (const { data } of client.system.events({ companyId }, { reconnect: true })) {
      seen.push(data.n as number);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(stub.requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "2"]);
  });

  test("a follower that reconnects takes a refusal of too many streams as a lost connection", async () => {
    let connections = 0;
    const { client } = await clientOf(() => {
      connections += 1;
      return connections === 1
        ? { status: 429, json: { error: "Too many.", code: "too_many_streams" } }
        : { stream: event(1) };
    });
    const lost: unknown[] = [];
    const onLost = (error: unknown) => lost.push(error);
    const events = client.system.events({ companyId }, { reconnect: true, onLost });
    expect(await events.next()).toMatchObject({ value: { data: { n: 1 } } });
    expect(lost).toMatchObject([{ code: "too_many_streams" }]);
    await events.return();
  });

  test("a follower ends with its signal, regardless of garbage collection", async () => {
    const { client } = await clientOf(() => ({ stream: event(1) }));
    const stop = new AbortController();
    const events = client.system.events({ companyId }, { signal: stop.signal });
    await events.next();
    const next = events.next();
    let isCollected = false;
    const garbage = new FinalizationRegistry(() => {
      isCollected = true;
    });
    garbage.register({}, null);
    await eventually(
      async () => collectGarbage(),
      () => isCollected,
    );
    stop.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });

  test("a refusal ends a follower that reconnects", async () => {
    const { client } = await clientOf(() => ({
      status: 401,
      json: { error: "Gone.", code: "unauthenticated" },
    }));
    const events = client.system.events({ companyId }, { reconnect: true });
    await expect(events.next()).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
