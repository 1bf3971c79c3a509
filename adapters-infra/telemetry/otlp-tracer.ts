import * as Effect from "effect/Effect";
import * as HttpBody from "effect/http/HttpBody";
import * as OtlpExporter from "effect/observability/OtlpExporter";
import type * as OtlpResource from "effect/observability/OtlpResource";
import { OtlpSerialization } from "effect/observability/OtlpSerialization";
import * as Tracer from "effect/Tracer";
import type { SignalSettings } from "./settings.ts";
import { spanJson } from "./span-json.ts";

/**
 * A tracer whose sampled spans are exported in batches until the scope closes. A span is written when it ends, because a
 * batch of texts costs the service half as much as one of objects: the garbage collector copies a text in one piece.
 */
export const otlpTracer = Effect.fnUntraced(function* (
  { url, headers, protobuf, intervalMs }: SignalSettings,
  resource: OtlpResource.Resource,
) {
  const serialization = yield* OtlpSerialization;
  const ofService = JSON.stringify(resource);
  const exporter = yield* OtlpExporter.make({
    label: "OtlpTracer",
    url,
    headers,
    exportInterval: intervalMs,
    maxBatchSize: 1000,
    shutdownTimeout: "3 seconds",
    body: (spans: readonly string[]) => {
      const text = `{"resourceSpans":[{"resource":${ofService},"scopeSpans":[{"scope":{"name":"boardroom"},"spans":[${spans.join()}]}]}]}`;
      return [
        protobuf ? serialization.traces(JSON.parse(text)) : HttpBody.text(text, "application/json"),
        Effect.void,
      ];
    },
  });
  class ExportedSpan extends Tracer.NativeSpan {
    override end(...[at, exit]: Parameters<Tracer.Span["end"]>): void {
      if (this.status._tag === "Ended") return;
      super.end(at, exit);
      if (this.sampled) exporter.push(spanJson(this, at, exit));
    }
  }
  return Tracer.make({ span: (options) => new ExportedSpan(options) });
});
