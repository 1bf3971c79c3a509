import * as Clock from "effect/Clock";
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
import type { BeginSpan, Span, Telemetry } from "../../ports/telemetry.ts";
import { exportMetrics } from "./export-metrics.ts";
import { otlpTracer } from "./otlp-tracer.ts";
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

const tracing = (tracer: Tracer.Tracer, ratio: number): Pick<Telemetry, "begin" | "span"> => {
  const begin: Telemetry["begin"] = (begun, work) =>
    Effect.suspend(() => {
      const parent = parentIn(begun.traceparent);
      const sampled = parent === null ? Math.random() < ratio : parent.sampled;
      return Effect.provideService(
        inSpan(tracer, { ...begun, links: linkTo(begun.causedBy), parent, sampled }, work),
        Tracer.Tracer,
        tracer,
      );
    });
  const span: Span = (name, work, options = {}) =>
    Effect.withFiber(({ cache: { span: parent } }) =>
      // Work that nothing traced has begun, such as a look at the queue.
      parent === undefined
        ? work
        : inSpan(
            tracer,
            { ...options, name, kind: "internal", links: [], parent, sampled: parent.sampled },
            work,
          ),
    );
  return { begin, span };
};

interface Begun extends Omit<BeginSpan, "attributes" | "traceparent" | "causedBy"> {
  readonly attributes?: BeginSpan["attributes"];
  readonly links: Tracer.SpanLink[];
  readonly parent: Tracer.AnySpan | null;
  readonly sampled: boolean;
}

/** A part of what `Effect.withSpan` does, at half of its cost. */
const inSpan = <A, E>(
  tracer: Tracer.Tracer,
  { name, kind, attributes = {}, since, links, parent, sampled }: Begun,
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock);
    const span = tracer.span({
      name,
      kind,
      links,
      sampled,
      parent: Option.fromNullOr(parent),
      annotations: Context.empty(),
      startTime: since === undefined ? clock.currentTimeNanosUnsafe() : nanosOf(since),
      root: parent === null,
    });
    for (const [key, value] of Object.entries(attributes)) span.attribute(key, value);
    return Effect.onExit(Effect.provideService(work, Tracer.ParentSpan, span), (exit) =>
      Effect.sync(() => span.end(clock.currentTimeNanosUnsafe(), exit)),
    );
  });

const nanosOf = (at: string): bigint => BigInt(Date.parse(at)) * 1_000_000n;
