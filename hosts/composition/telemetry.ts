import * as ConfigProvider from "effect/ConfigProvider";
import * as Effect from "effect/Effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as Layer from "effect/Layer";
import * as OtlpExporter from "effect/observability/OtlpExporter";
import * as OtlpSerialization from "effect/observability/OtlpSerialization";
import * as OtlpTracer from "effect/observability/OtlpTracer";
import * as Result from "effect/Result";
import * as Tracer from "effect/Tracer";
import type { Span } from "../../core/access/unit-of-work.ts";
import { type Telemetry, unknownRefusal } from "../api/endpoint/telemetry.ts";
import type { TelemetrySettings } from "./read-telemetry.ts";
import { version } from "./version.ts";

/** Exports spans by OTLP until the scope closes. */
export const openTelemetry = Effect.fnUntraced(function* (settings: TelemetrySettings) {
  const resource = ConfigProvider.fromEnv({
    env: { OTEL_RESOURCE_ATTRIBUTES: settings.resourceAttributes, OTEL_SERVICE_NAME: settings.serviceName },
  });
  const parts = yield* Layer.build(
    Layer.mergeAll(
      FetchHttpClient.layer,
      settings.protobuf ? OtlpSerialization.layerProtobuf : OtlpSerialization.layerJson,
      OtlpExporter.layerFlusher,
    ),
  );
  const tracer = yield* OtlpTracer.make({
    url: settings.url,
    headers: settings.headers,
    resource: { serviceName: settings.serviceName, serviceVersion: version },
  }).pipe(Effect.provideContext(parts), Effect.provideService(ConfigProvider.ConfigProvider, resource));
  return telemetryOf(tracer, settings.ratio);
});

const telemetryOf = (tracer: Tracer.Tracer, ratio: number): Telemetry => {
  const begin: Telemetry["begin"] = ({ name, kind, attributes, traceparent }, work) =>
    Effect.suspend(() => {
      const parent = parentIn(traceparent);
      const options = {
        kind,
        attributes,
        ...(parent === null ? { root: true, sampled: Math.random() < ratio } : { parent }),
      };
      return Effect.withTracer(inSpan(name, options, work), tracer);
    });
  const span: Span = (name, work) =>
    Effect.matchEffect(Effect.currentSpan, {
      // Work that nothing traced has begun, such as a look at the queue.
      onFailure: () => work,
      onSuccess: () => inSpan(name, { kind: "internal" }, work),
    });
  return { begin, span };
};

/** A refusal is an answer and no error: the span names it. */
const inSpan = <A, E>(
  name: string,
  options: Tracer.SpanOptionsNoTrace,
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E> => {
  const named = Effect.tap(Effect.result(work), (result) =>
    Result.isFailure(result) ? Effect.annotateCurrentSpan("error.type", codeOf(result.failure)) : Effect.void,
  );
  return Effect.flatMap(
    Effect.withSpan(named, name, { ...options, captureStackTrace: false }),
    Effect.fromResult,
  );
};

const codeOf = (failure: unknown): string =>
  typeof failure === "object" && failure !== null && "code" in failure
    ? String(failure.code)
    : unknownRefusal;

/** Reads the trace of a caller, as W3C Trace Context writes it. */
const parentIn = (traceparent: string | undefined): Tracer.ExternalSpan | null => {
  const [, traceId, spanId, flags] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return null;
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 });
};
