import * as Effect from "effect/Effect";
import * as HttpBody from "effect/http/HttpBody";
import * as OtlpExporter from "effect/observability/OtlpExporter";
import type * as OtlpResource from "effect/observability/OtlpResource";
import { OtlpSerialization } from "effect/observability/OtlpSerialization";
import * as Tracer from "effect/Tracer";
import type { SpanAttributes } from "../../ports/telemetry.ts";
import type { SignalSettings } from "./settings.ts";
import { SpanChunk } from "./span-chunk.ts";
import { attributeJson, spanJson } from "./span-json.ts";

/** A span that is written attribute by attribute, and exported when it ends. */
export class OtlpSpan extends Tracer.NativeSpan {
  readonly #push: (text: string) => void;
  /** As JSON, each followed by a comma. */
  #attributes = "";

  constructor(options: ConstructorParameters<typeof Tracer.NativeSpan>[0], push: (text: string) => void) {
    super(options);
    this.#push = push;
  }

  override attribute(key: string, value: unknown): void {
    if (this.sampled) this.#attributes += `${attributeJson(key, value)},`;
  }

  /** Adds attributes that many spans have: those of one object are written once. */
  addShared(attributes: SpanAttributes): void {
    if (this.sampled) this.#attributes += sharedJson(attributes);
  }

  override end(...[at, exit]: Parameters<Tracer.Span["end"]>): void {
    if (this.status._tag === "Ended") return;
    super.end(at, exit);
    if (this.sampled) this.#push(spanJson(this, this.#attributes, at, exit));
  }
}

const written = new WeakMap<SpanAttributes, string>();

const sharedJson = (attributes: SpanAttributes): string => {
  let text = written.get(attributes);
  if (text === undefined) {
    text = Object.entries(attributes)
      .map(([key, value]) => `${attributeJson(key, value)},`)
      .join("");
    written.set(attributes, text);
  }
  return text;
};

/** A tracer whose sampled spans are exported in batches until the scope closes. */
export interface OtlpTracer extends Tracer.Tracer {
  span(...options: Parameters<Tracer.Tracer["span"]>): OtlpSpan;
}

const comma = Buffer.from(",");
const closing = Buffer.from("]}]}]}");

export const otlpTracer = Effect.fnUntraced(function* (
  { url, headers, protobuf, intervalMs }: SignalSettings,
  resource: OtlpResource.Resource,
) {
  const serialization = yield* OtlpSerialization;
  const opening = Buffer.from(
    `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":{"name":"boardroom"},"spans":[`,
  );
  const exporter = yield* OtlpExporter.make({
    label: "OtlpTracer",
    url,
    headers,
    exportInterval: intervalMs,
    maxBatchSize: 8,
    shutdownTimeout: "3 seconds",
    body: (chunks: readonly SpanChunk[]) => {
      const json = Buffer.concat([
        opening,
        ...chunks.flatMap((chunk, at) => (at === 0 ? [chunk.take()] : [comma, chunk.take()])),
        closing,
      ]);
      return [
        protobuf
          ? serialization.traces(JSON.parse(json.toString()))
          : HttpBody.uint8Array(json, "application/json"),
        Effect.void,
      ];
    },
  });
  let filling: SpanChunk | null = null;
  let staleAtMs = 0;
  const push = (text: string) => {
    const nowMs = performance.now();
    if (nowMs < staleAtMs && filling?.add(text)) return;
    filling = new SpanChunk(text);
    // The exporter drops what it gets while a collector is away: such a chunk must not collect later spans, too.
    staleAtMs = nowMs + 2 * intervalMs;
    // It is exported with what is added to it until then.
    exporter.push(filling);
  };
  const span: OtlpTracer["span"] = (options) => new OtlpSpan(options, push);
  return { span } satisfies OtlpTracer;
});
