import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scope from "effect/Scope";
import * as Tracer from "effect/Tracer";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { beginStatementSpan } from "../../adapters-infra/postgres/statement-span.ts";
import { openTelemetry } from "../../adapters-infra/telemetry/open-telemetry.ts";
import { postBatch } from "../../adapters-infra/telemetry/post-batch.ts";
import type { NamedEndpoint } from "../../hosts/api/index.ts";
import { SettingInvalid } from "../../hosts/composition/setting-invalid.ts";
import { readTelemetry } from "../../hosts/composition/telemetry-settings.ts";
import type { HttpRequest } from "../../hosts/http/listener.ts";
import { traced, traceOf } from "../../hosts/http/trace-request.ts";
import { startService, type TestService } from "../support/service.ts";

interface Exported {
  readonly traceId: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: number; readonly message?: string };
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: text or a number.
  readonly attributes: Readonly<Record<string, any>>;
}

interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly gauge?: { readonly dataPoints: readonly { readonly asDouble: number }[] };
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly count: number;
      readonly bucketCounts: readonly number[];
      readonly explicitBounds: readonly number[];
      readonly attributes: readonly { key: string; value: { stringValue: string } }[];
    }[];
  };
}

let collector: Server;
let service: TestService;
let env: Readonly<Record<string, string>>;
const spans: Exported[] = [];
const metrics = new Map<string, Measured>();
const paths: string[] = [];
const lines: string[] = [];
const receive = (path: string | undefined, body: string): void => {
  const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body);
  if (path === "/v1/metrics")
    for (const { scopeMetrics } of resourceMetrics)
      for (const each of scopeMetrics[0].metrics) metrics.set(each.name, each);
  type Attribute = { key: string; value: { stringValue?: string; intValue?: number; doubleValue?: number } };
  for (const { scopeSpans } of resourceSpans)
    for (const { spans: sent } of scopeSpans)
      for (const span of sent) {
        const attributes = span.attributes.map(({ key, value }: Attribute) => [key, Object.values(value)[0]]);
        spans.push({ ...span, attributes: Object.fromEntries(attributes) });
      }
};
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    paths.push(`${request.url} ${request.headers["x-tenant"]}`);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    receive(request.url, Buffer.concat(parts).toString("utf8"));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=harbour",
    OTEL_METRIC_EXPORT_INTERVAL: "200",
    OTEL_BSP_SCHEDULE_DELAY: "200",
  };
  service = await startService({ env, onLog: (line) => lines.push(line) });
});
afterAll(async () => {
  await service?.stop();
  collector?.closeAllConnections();
  await new Promise((resolve) => collector?.close(resolve));
});

const exported = async (find: (span: Exported) => boolean): Promise<Exported> => {
  await expect.poll(() => spans.find(find)).toBeDefined();
  return spans.find(find)!;
};

describe("With the variables of OpenTelemetry", () => {
  it("a request continues its caller's trace, with its use case below it and no secret in it", async () => {
    const [traceId, caller] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
    const answer = await service.request("POST", "/api/companies", {
      headers: { traceparent: `00-${traceId}-${caller}-01` },
      body: { name: "A name that no span shows" },
    });
    expect(answer.status).toBe(201);
    const request = await exported((span) => span.name === "POST /api/companies" && span.traceId === traceId);
    expect(request).toMatchObject({
      parentSpanId: caller,
      attributes: { "http.request.method": "POST", "http.route": "/api/companies" },
    });
    const useCase = await exported((span) => span.name === "companies.create" && span.traceId === traceId);
    expect(useCase.parentSpanId).toBe(request.spanId);
    const statement = await exported((span) => span.name === "insert companies" && span.traceId === traceId);
    expect(statement).toMatchObject({
      parentSpanId: useCase.spanId,
      kind: 3,
      attributes: { "db.system.name": "postgresql" },
    });
    const ofUseCase = spans.filter(({ parentSpanId }) => parentSpanId === useCase.spanId);
    expect(ofUseCase.map(({ name }) => name)).toContain("commit");
    expect(request.attributes["http.response.status_code"]).toBe(201);
    expect(paths).toContain("/v1/traces harbour");
    expect(JSON.stringify(spans)).not.toContain("A name that no span shows");
  });

  it("a refusal is named by its code", async () => {
    await service.request("GET", "/api/issues/0193a0f0-0000-7000-8000-000000000009");
    const span = await exported(({ name }) => name === "GET /api/issues/{issueId}");
    expect(span.attributes).toMatchObject({
      "error.type": "issue_not_found",
      "http.response.status_code": 404,
    });
    // No statement failed, and a refusal is no error.
    expect(span.status.code).toBe(1);
  });

  it("the message of an unexpected failure stays in the service's log", async () => {
    const sql = postgres(service.databaseUrl, { max: 1, onnotice: () => {} });
    await sql.unsafe(`
      create function fail() returns trigger language plpgsql as
        $$ begin raise exception 'a value that no span shows'; end $$;
      create trigger fail before insert on labels for each row execute function fail()`);
    const { id: companyId } = await service.admin.companies.create({ name: "Failing" });
    const body = { name: "bug", color: "#ff0000" };
    const answer = await service.request("POST", `/api/companies/${companyId}/labels`, { body });
    expect(answer.status).toBe(500);
    await sql`drop trigger fail on labels`;
    await sql.end();
    const span = await exported(({ name }) => name === "POST /api/companies/{companyId}/labels");
    expect(span.status.code).toBe(2);
    expect(span.attributes["error.type"]).toBe("DatabaseFailure");
    await exported(({ name, status }) => name === "insert labels" && status.code === 2);
    expect(JSON.stringify(spans)).not.toContain("a value that no span shows");
    // The log has it, with the span by which both are found together.
    const line = lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === "a request failed");
    expect(line).toMatchObject({ trace_id: span.traceId, span_id: span.spanId });
    expect(line.cause).toContain("a value that no span shows");
  });

  it("metrics are what GET /metrics shows, under the same names", async () => {
    const text: string = (await service.request("GET", "/metrics")).body;
    const shown = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name!);
    await expect.poll(() => [...metrics.keys()].sort()).toEqual(shown.sort());
    expect(metrics.get("boardroom_runs_queued")).toMatchObject({
      unit: "",
      gauge: { dataPoints: [{ asDouble: 0 }] },
    });
    const answers = metrics.get("boardroom_http_answer_seconds")!;
    expect(answers.unit).toBe("s");
    const point = answers.histogram!.dataPoints.find(({ attributes }) =>
      attributes.some(({ value }) => value.stringValue === "companies.create"),
    )!;
    expect(point.bucketCounts.length).toBe(point.explicitBounds.length + 1);
    expect(point.bucketCounts.reduce((sum, count) => sum + count)).toBe(point.count);
  });

  it("a run is a trace of its own from wake to end, which its program continues and the log names", async () => {
    const { id: companyId } = await service.admin.companies.create({ name: "Traced" });
    const agent = await service.admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "sh", args: ["-c", 'echo "trace $TRACEPARENT"'] },
    });
    const waking = "5bf92f3577b34da6a3ce929d0e0e4736";
    const headers = { traceparent: `00-${waking}-00f067aa0ba902b7-01` };
    expect(
      (await service.request("POST", `/api/agents/${agent.id}/heartbeat/invoke`, { body: {}, headers }))
        .status,
    ).toBeLessThan(300);
    const span = await exported(
      ({ name, attributes }) => name === "run" && attributes["boardroom.agent.id"] === agent.id,
    );
    const runId = span.attributes["boardroom.run.id"]!;
    const { content } = (await service.request("GET", `/api/heartbeat-runs/${runId}/log`)).body;
    expect(content).toContain(`trace 00-${span.traceId}-${span.spanId}-01`);
    const [wait, prepare, execute, finish] = await Promise.all(
      ["run.wait", "run.prepare", "run.execute", "runs.finish"].map((name) =>
        exported((each) => each.name === name && each.traceId === span.traceId),
      ),
    );
    for (const part of [wait!, prepare!, execute!, finish!]) expect(part.parentSpanId).toBe(span.spanId);
    const order = [
      ...[span.startTimeUnixNano, wait!.startTimeUnixNano, wait!.endTimeUnixNano],
      ...[prepare!.endTimeUnixNano, execute!.startTimeUnixNano, execute!.endTimeUnixNano],
      ...[finish!.startTimeUnixNano, finish!.endTimeUnixNano, span.endTimeUnixNano],
    ].map(BigInt);
    expect(order).toEqual(order.toSorted((one, other) => Number(one - other)));
    const { createdAt } = (await service.request("GET", `/api/heartbeat-runs/${runId}`)).body;
    expect(BigInt(span.startTimeUnixNano)).toBe(BigInt(Date.parse(createdAt)) * 1_000_000n);
    const waker = await exported(({ name, traceId }) => name === "agents.invoke" && traceId === waking);
    expect(span.links).toMatchObject([{ traceId: waker.traceId, spanId: waker.spanId }]);
    expect(span.attributes["boardroom.run.status"]).toBe("succeeded");
    expect(Object.keys(span.attributes).filter((name) => name.startsWith("gen_ai"))).toEqual([]);
  });

  it("a run also follows the conventions for generative AI where they are turned on, without a collector of metrics", async () => {
    const other = await startService({
      env: {
        ...env,
        OTEL_SEMCONV_STABILITY_OPT_IN: "http, gen_ai_latest_experimental",
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://127.0.0.1:1/v1/metrics",
      },
    });
    try {
      const { id: companyId } = await other.admin.companies.create({ name: "Traced" });
      const agent = await other.admin.agents.create({
        companyId,
        name: "Ada",
        adapterType: "process",
        adapterConfig: { command: "true" },
      });
      await other.request("POST", `/api/agents/${agent.id}/heartbeat/invoke`, { body: {} });
      const span = await exported(({ attributes }) => attributes["gen_ai.agent.id"] === agent.id);
      expect(span.name).toBe("invoke_agent Ada");
      expect(span.attributes).toMatchObject({
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "process",
        "gen_ai.agent.name": "Ada",
        "boardroom.agent.id": agent.id,
      });
    } finally {
      await other.stop();
    }
  });
});

describe("A collector that breaks off its answer", () => {
  it("fails the export, and nothing else", async () => {
    const receiver = createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        response.writeHead(200, { "content-length": "100" });
        response.write("{", () => request.socket.resetAndDestroy());
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const { port } = receiver.address() as AddressInfo;
    await expect(postBatch(`http://127.0.0.1:${port}/v1/traces`, { body: "{}" })).rejects.toThrow();
    receiver.close();
  });
});

describe("A collector that takes protobuf alone", () => {
  it("gets the same spans", async () => {
    const bodies: Buffer[] = [];
    const receiver = createServer(async (request, response) => {
      expect(request.headers["content-type"]).toBe("application/x-protobuf");
      bodies.push(await buffer(request));
      response.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const { port } = receiver.address() as AddressInfo;
    const settings = readTelemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_METRICS_EXPORTER: "none",
    })!;
    const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(openTelemetry(settings, "0"), ({ begin, span }) =>
          begin(
            {
              name: 'GET "/"',
              kind: "server",
              attributes: { "http.route": "/päth", "http.response.status_code": 200 },
              traceparent: `00-${traceId}-${spanId}-01`,
              causedBy: `00-${"c".repeat(32)}-${"d".repeat(16)}-01`,
            },
            Effect.exit(span("issues.get", Effect.die(new TypeError("Not for a collector")))),
          ),
        ),
      ),
    );
    receiver.close();
    const sent = Buffer.concat(bodies);
    for (const part of ['GET "/"', "/päth", "issues.get", "TypeError", "at "])
      expect(sent.includes(part), part).toBe(true);
    for (const id of [traceId, spanId, "c".repeat(32), "d".repeat(16)])
      expect(sent.includes(Buffer.from(id, "hex")), id).toBe(true);
    expect(sent.includes("Not for a collector")).toBe(false);
  });
});

describe("The span of a statement", () => {
  it.each([
    ["select title from issues where id = $", "select issues"],
    ["select count(*) from (select 1 from runs) as recent", "select"],
    ["with moved as (update issues set title = $) select 1 from agents", "select agents"],
    ["insert into comments (body) values ($)", "insert comments"],
    ["commit", "commit"],
  ])("of %s is named %s", (statement, name) => {
    let named = "";
    const tracer = Tracer.make({
      span: (options) => {
        named = options.name;
        return new Tracer.NativeSpan(options);
      },
    });
    const span = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16) });
    const clock = Effect.runSync(Clock.Clock);
    beginStatementSpan({ span, tracer, clock }, { strings: [statement] } as never)();
    expect(named).toBe(name);
  });
});

describe("The span of a request", () => {
  it("is known to the log while the request is still being carried out", async () => {
    const settings = readTelemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_METRICS_EXPORTER: "none",
    })!;
    const request = { headers: {} } as HttpRequest;
    const named = {
      name: "system.health",
      endpoint: { method: "GET", path: "/api/health" },
    } as NamedEndpoint;
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const telemetry = { ...(yield* openTelemetry(settings, "0")), genAi: false };
          const fiber = yield* Effect.forkChild(traced(telemetry, named, request, Effect.never));
          yield* Effect.yieldNow;
          expect(traceOf(request)).toMatchObject({ trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
          yield* Fiber.interrupt(fiber);
        }),
      ),
    );
  });
});

describe("Spans on their way to a collector", () => {
  /** Opens a collector, and a tracer that exports to it every 100 ms. */
  const exporting = async (status: () => number) => {
    const bodies: string[] = [];
    const receiver = createServer(async (request, response) => {
      bodies.push((await buffer(request)).toString());
      response.writeHead(status()).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const { port } = receiver.address() as AddressInfo;
    const settings = readTelemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    })!;
    const scope = Effect.runSync(Scope.make());
    const { begin } = await Effect.runPromise(Scope.provide(openTelemetry(settings, "0"), scope));
    return {
      bodies,
      record: (name: string) =>
        Effect.runPromise(begin({ name, kind: "server", attributes: { "http.route": name } }, Effect.void)),
      /** Sends the rest, and returns the names of all spans that arrived. */
      end: async () => {
        await Effect.runPromise(Scope.close(scope, Exit.void));
        receiver.close();
        return bodies.flatMap((body) =>
          JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.map((span: { name: string }) => span.name),
        );
      },
    };
  };

  it("arrive all, whatever their number, length and script", async () => {
    const names = Array.from({ length: 3000 }, (_, n) => `${n} "päth" ${"会社".repeat(n % 50)}`);
    names.push("long ".repeat(50_000));
    const { record, end } = await exporting(() => 200);
    for (const name of names) await record(name);
    expect((await end()).sort()).toEqual(names.sort());
  });

  it("arrive again once a collector accepts them, however few there are", async () => {
    let status = 400;
    const { bodies, record, end } = await exporting(() => status);
    await record("refused");
    await vi.waitFor(() => expect(bodies).toHaveLength(1));
    await record("lost: the exporter waits a minute");
    status = 200;
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      await vi.waitFor(
        async () => {
          vi.setSystemTime(Date.now() + 61_000);
          await record("accepted");
          expect(bodies.join()).toContain("accepted");
        },
        { interval: 250, timeout: 60_000 },
      );
    } finally {
      vi.useRealTimers();
      await end();
    }
  });
});

describe("The variables of OpenTelemetry", () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4318";
  it.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: "true" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }],
  ])("turn nothing on: %j", (env) => {
    expect(readTelemetry(env)).toBeNull();
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
    ["OTEL_TRACES_EXPORTER", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: "zipkin" }],
    ["OTEL_METRICS_EXPORTER", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_METRICS_EXPORTER: "prometheus" }],
    ["OTEL_METRIC_EXPORT_INTERVAL", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: "1m" }],
    ["OTEL_BSP_SCHEDULE_DELAY", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_BSP_SCHEDULE_DELAY: "1" }],
    ["OTEL_EXPORTER_OTLP_HEADERS", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "a=%" }],
    ["OTEL_TRACES_SAMPLER", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: "sometimes" }],
    [
      "OTEL_TRACES_SAMPLER_ARG",
      { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" },
    ],
  ])("are refused by name: %s", (name, env) => {
    expect(() => readTelemetry(env)).toThrow(SettingInvalid);
    expect(() => readTelemetry(env)).toThrow(new RegExp(`^${name}: `));
  });
});
