import * as Cause from "effect/Cause";
import * as Exit from "effect/Exit";
import { unknownToAttributeValue } from "effect/observability/OtlpResource";
import type * as Tracer from "effect/Tracer";
import { unknownRefusal } from "../../ports/telemetry.ts";

/**
 * Writes an ended span as OTLP in JSON does, without the message of its failure: that of a database names the values of a
 * row, that of a program what it was given. A refusal is an answer and no error: the span names its code.
 *
 * @param attributes as JSON, each followed by a comma
 */
export const spanJson = (
  span: Tracer.NativeSpan,
  attributes: string,
  end: bigint,
  exit: Exit.Exit<unknown, unknown>,
): string => {
  const { error, status } = outcomeOf(exit);
  const parent = span.parent._tag === "Some" ? `"parentSpanId":"${span.parent.value.spanId}",` : "";
  const all = error === null ? attributes.slice(0, -1) : attributes + attributeJson("error.type", error.type);
  const events = error?.stack == null ? "" : exceptionJson(error.type, error.stack, end);
  const links = span.links.length === 0 ? "" : span.links.map(linkJson).join();
  return `{"traceId":"${span.traceId}","spanId":"${span.spanId}",${parent}"name":${JSON.stringify(span.name)},"kind":${kinds[span.kind]},"startTimeUnixNano":"${span.startTime}","endTimeUnixNano":"${end}","attributes":[${all}],"events":[${events}],"links":[${links}],"status":${status}}`;
};

const kinds: Readonly<Record<Tracer.SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};

const message = "The message is in the log of the service.";

const statuses = {
  unset: `{"code":0}`,
  ok: `{"code":1}`,
  error: `{"code":2,"message":"${message}"}`,
} as const;

interface Outcome {
  /** A refusal has no stack. */
  readonly error: { readonly type: string; readonly stack: string | null } | null;
  readonly status: string;
}

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): Outcome => {
  if (Exit.isSuccess(exit)) return succeeded;
  if (Cause.hasInterruptsOnly(exit.cause)) return { error: null, status: statuses.unset };
  const failure = Cause.squash(exit.cause);
  return Cause.hasDies(exit.cause)
    ? { error: defectOf(failure), status: statuses.error }
    : { error: { type: codeOf(failure), stack: null }, status: statuses.ok };
};

const succeeded: Outcome = { error: null, status: statuses.ok };

const codeOf = (failure: unknown): string =>
  typeof failure === "object" && failure !== null && "code" in failure
    ? String(failure.code)
    : unknownRefusal;

const defectOf = (defect: unknown): Outcome["error"] => {
  if (!(defect instanceof Error)) return { type: "Error", stack: `Error: ${message}` };
  const type = /^\w{1,80}$/.test(defect.name) ? defect.name : "Error";
  const { stack = "", message: own } = defect;
  const begin = stack.indexOf(own);
  // A stack begins with the message, which may look like one.
  const frames = begin === -1 ? null : stack.slice(begin + own.length).match(/^ {4}at .*$/gm);
  return { type, stack: [`${type}: ${message}`, ...(frames ?? [])].join("\n") };
};

const exceptionJson = (type: string, stack: string, at: bigint): string => {
  const attributes = [
    attributeJson("exception.type", type),
    attributeJson("exception.message", message),
    attributeJson("exception.stacktrace", stack),
  ];
  return `{"name":"exception","timeUnixNano":"${at}","attributes":[${attributes.join()}]}`;
};

export const attributeJson = (key: string, value: unknown): string =>
  `{"key":"${key}","value":${typeof value === "string" ? `{"stringValue":${JSON.stringify(value)}}` : JSON.stringify(unknownToAttributeValue(value))}}`;

const linkJson = ({ span, attributes }: Tracer.SpanLink): string =>
  `{"traceId":"${span.traceId}","spanId":"${span.spanId}","attributes":[${Object.entries(attributes)
    .map(([key, value]) => attributeJson(key, value))
    .join()}]}`;
