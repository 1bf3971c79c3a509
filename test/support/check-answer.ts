import { isDeepStrictEqual } from "node:util";
import type { NamedEndpoint } from "../../hosts/api/index.ts";
import { refusalsOf } from "../../hosts/http/refusals.ts";
import { route } from "../../hosts/http/router.ts";
import type { RawAnswer } from "./service.ts";

/** An answer that is no declared outcome of an endpoint. */
const ofNone = new Set(["method_not_allowed", "internal_error"]);

/** Checks an answer against its endpoint's declaration: every field, no other field, only declared refusals. */
export const checkAnswer = (method: string, path: string, answer: RawAnswer): void => {
  const named = endpointAt(method, path);
  if (answer.status < 300) {
    if (named !== null) checkSuccess(named, answer);
  } else checkRefusal(named, method, path, answer);
};

const endpointAt = (method: string, path: string): NamedEndpoint | null => {
  try {
    const match = route(path.split("?")[0]!);
    return match?.byMethod.get(method === "HEAD" ? "GET" : method) ?? null;
  } catch {
    return null;
  }
};

const checkSuccess = ({ name, endpoint }: NamedEndpoint, { status, body }: RawAnswer): void => {
  if (status !== endpoint.status && !(status === 201 && endpoint.makesWhen !== null))
    throw new Error(`${name} answered ${status}, declared is ${endpoint.status}`);
  if (endpoint.media !== "json" && endpoint.media !== "page") return;
  if (body === "") return;
  if (unreadInstant.test(show(body)))
    throw new Error(`${name} answered an instant as PostgreSQL writes it: ${show(body)}`);
  const parsed = endpoint.returns.safeParse(body);
  if (!parsed.success)
    throw new Error(`${name} answered what it does not declare: ${parsed.error.message}\n${show(body)}`);
  // The schemas drop unknown fields, so a missing field was never declared.
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), body))
    throw new Error(`${name} answered fields it does not declare: ${show(body)}\n${show(parsed.data)}`);
};

const checkRefusal = (
  named: NamedEndpoint | null,
  method: string,
  path: string,
  { status, body, headers }: RawAnswer,
): void => {
  const at = `${method} ${path} → ${status} ${show(body)}`;
  if (method === "HEAD") return;
  const { error, code, details, currentRevisionId, ...more } = body;
  for (const [field, value] of Object.entries(named?.endpoint.whenSilent?.says ?? {}))
    if (more[field] === value) delete more[field];
  if (typeof error !== "string" || error.trim() === "") throw new Error(`${at}: no sentence`);
  if (!/^[a-z][a-z0-9_]*$/.test(code)) throw new Error(`${at}: no code`);
  if (details !== undefined && (typeof details !== "object" || details === null))
    throw new Error(`${at}: details of no shape`);
  if (Object.keys(more).length > 0) throw new Error(`${at}: more than the one error body`);
  if (headers.get("content-type") !== "application/json; charset=utf-8")
    throw new Error(`${at}: content type ${headers.get("content-type")}`);
  if (named === null) return;
  const { endpoint, name } = named;
  const announced = ofNone.has(code) || refusalsOf(endpoint).some((refusal) => refusal.code === code);
  if (!announced) throw new Error(`${at}: ${name} does not announce ${code}`);
};

/** In SQL-made JSON whose reader does not know the field. No test gives a text that looks so. */
const unreadInstant = /": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00"/;

const show = (value: unknown): string => JSON.stringify(value, null, 1);
