import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTelemetry } from "../../hosts/composition/read-telemetry.ts";
import { SettingInvalid } from "../../hosts/composition/setting-invalid.ts";
import { startService, type TestService } from "../support/service.ts";

interface Exported {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

let collector: Server;
let service: TestService;
const spans: Exported[] = [];
const paths: string[] = [];
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    paths.push(`${request.url} ${request.headers["x-tenant"]}`);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString("utf8"));
    for (const { scopeSpans } of body.resourceSpans)
      for (const { spans: sent } of scopeSpans)
        for (const span of sent)
          spans.push({
            ...span,
            attributes: Object.fromEntries(
              span.attributes.map(({ key, value }: { key: string; value: { stringValue?: string } }) => [
                key,
                value.stringValue,
              ]),
            ),
          });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  service = await startService({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=harbour",
    },
  });
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
    expect(paths[0]).toBe("/v1/traces harbour");
    expect(JSON.stringify(spans)).not.toContain("A name that no span shows");
  });

  it("a refusal is named by its code", async () => {
    await service.request("GET", "/api/issues/0193a0f0-0000-7000-8000-000000000009");
    const span = await exported(({ name }) => name === "GET /api/issues/{issueId}");
    expect(span.attributes["error.type"]).toBe("issue_not_found");
  });

  it("a run is a trace of its own, which its program continues", async () => {
    const { id: companyId } = await service.admin.companies.create({ name: "Traced" });
    const agent = await service.admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "sh", args: ["-c", 'echo "trace $TRACEPARENT"'] },
    });
    expect(
      (await service.request("POST", `/api/agents/${agent.id}/heartbeat/invoke`, { body: {} })).status,
    ).toBeLessThan(300);
    const span = await exported(
      ({ name, attributes }) => name === "run" && attributes["boardroom.agent.id"] === agent.id,
    );
    const runId = span.attributes["boardroom.run.id"]!;
    const { content } = (await service.request("GET", `/api/heartbeat-runs/${runId}/log`)).body;
    expect(content).toContain(`trace 00-${span.traceId}-${span.spanId}-01`);
  });
});

describe("The variables of OpenTelemetry", () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4318";
  it.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: "true" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: "none" }],
  ])("turn nothing on: %j", (env) => {
    expect(readTelemetry(env)).toBeNull();
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
    ["OTEL_TRACES_EXPORTER", { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: "zipkin" }],
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
