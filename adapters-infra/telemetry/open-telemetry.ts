import * as ConfigProvider from "effect/ConfigProvider";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as OtlpExporter from "effect/observability/OtlpExporter";
import * as OtlpResource from "effect/observability/OtlpResource";
import * as OtlpSerialization from "effect/observability/OtlpSerialization";
import * as Tracer from "effect/Tracer";
import type { Span, Telemetry } from "../../ports/telemetry.ts";
import { exportMetrics } from "./export-metrics.ts";
import { nowNanos } from "./now-nanos.ts";
import { type OtlpTracer, otlpTracer } from "./otlp-tracer.ts";
import { linkTo, parentIn } from "./parent-in.ts";
import { postBatch } from "./post-batch.ts";
import type { SignalSettings, TelemetrySettings } from "./settings.ts";

/** Exports spans and metrics by OTLP until the scope closes. */
export const openTelemetry = Effect.fnUntraced(function* (settings: TelemetrySettings, version: string) {
  const { traces, metrics, serviceName, resourceAttributes, ratio, genAi } = settings;
  const resource = { serviceName, serviceVersion: version };
  const variables = ConfigProvider.fromEnv({
    env: { OTEL_RESOURCE_ATTRIBUTES: resourceAttributes, OTEL_SERVICE_NAME: serviceName },
  });
  const exporting = <A, R>(signal: SignalSettings, build: Effect.Effect<A, never, R>) =>
    Effect.gen(function* () {
      const parts = yield* Layer.build(
        Layer.mergeAll(
          FetchHttpClient.layer,
          signal.protobuf ? OtlpSerialization.layerProtobuf : OtlpSerialization.layerJson,
          OtlpExporter.layerFlusher,
        ),
      );
      return yield* build.pipe(
        Effect.provideContext(parts),
        Effect.provideService(ConfigProvider.ConfigProvider, variables),
        Effect.provideService(FetchHttpClient.Fetch, postBatch),
      );
    });
  const ofService = OtlpResource.fromConfig(resource);
  const tracer =
    traces === null
      ? null
      : yield* exporting(
          traces,
          Effect.flatMap(ofService, (of) => otlpTracer(traces, of)),
        );
  return {
    ...(tracer === null ? untraced : tracing(tracer, ratio)),
    genAi,
    exportMetrics: (collect) =>
      metrics === null
        ? Effect.void
        : exporting(
            metrics,
            Effect.flatMap(ofService, (of) => exportMetrics(metrics, of, collect)),
          ),
  } satisfies Telemetry;
});

const untraced: Pick<Telemetry, "begin" | "span"> = {
  begin: (_, work) => work,
  span: (_, work) => work,
};

const tracing = (tracer: OtlpTracer, ratio: number): Pick<Telemetry, "begin" | "span"> => {
  const begin: Telemetry["begin"] = (begun, work) =>
    Effect.suspend(() => {
      const { name, kind, attributes, since, traceparent, causedBy, outcome } = begun;
      const parent = traceparent === undefined ? null : parentIn(traceparent);
      const span = tracer.span({
        name,
        kind,
        links: causedBy === undefined ? [] : linkTo(causedBy),
        sampled: parent === null ? Math.random() < ratio : parent.sampled,
        parent: Option.fromNullOr(parent),
        annotations: Context.empty(),
        startTime: startOf(since),
        root: parent === null,
      });
      span.addShared(attributes);
      const inSpan = Effect.updateContext(work, (context: Context.Context<never>) =>
        Context.add(Context.add(context, Tracer.Tracer, tracer), Tracer.ParentSpan, span),
      );
      return Effect.onExit(inSpan, (exit) => {
        if (outcome !== undefined) span.addShared(outcome(exit));
        span.end(nowNanos(), exit);
        return Effect.void;
      });
    });
  const span: Span = (name, work, { since } = {}) =>
    Effect.withFiber(({ cache: { span: parent } }) => {
      // Work that nothing traced has begun, such as a look at the queue.
      if (parent === undefined) return work;
      const span = tracer.span({
        name,
        kind: "internal",
        links: [],
        sampled: parent.sampled,
        parent: Option.some(parent),
        annotations: Context.empty(),
        startTime: startOf(since),
        root: false,
      });
      return Effect.onExit(Effect.provideService(work, Tracer.ParentSpan, span), (exit) => {
        span.end(nowNanos(), exit);
        return Effect.void;
      });
    });
  return { begin, span };
};

const startOf = (since: string | undefined): bigint =>
  since === undefined ? nowNanos() : BigInt(Date.parse(since)) * 1_000_000n;
