import * as Effect from "effect/Effect";
import { z } from "zod";
import { refusalOfScope } from "../../../core/model/access/assistant-rights.ts";
import {
  type AgentCaller,
  actorOf,
  type BoardCaller,
  bySystem,
  type Caller,
  roleIn,
  Unauthenticated,
} from "../../../core/model/access/caller.ts";
import { type Client, noClient } from "../../../core/model/access/client.ts";
import { refusalOfUnverified } from "../../../core/model/access/verification.ts";
import { takesWrites } from "../../../core/model/companies/company.ts";
import { NotAllowed, type Refusal, ValidationFailed } from "../../../core/model/shared/failure.ts";
import { type CompanyId, isUuid } from "../../../core/model/shared/ids.ts";
import { explainExcess, requestBounds } from "../../../core/model/shared/json-bounds.ts";
import type { EventFeed } from "../../../ports/event-feed.ts";
import type { Location, Subject } from "../../../ports/views/access-views.ts";
import type { Page } from "../../../ports/views/page.ts";
import { refusalOfAccess } from "./access.ts";
import type { App } from "./app.ts";
import { carryOutOnce, type Once } from "./carry-out-once.ts";
import { type Endpoint, isRefusedOfArchived, nothing } from "./endpoint.ts";
import { resolveIdentifiers } from "./issue-identifiers.ts";
import { type PathParam, paramNames, pathParams } from "./params.ts";
import { scopeOf } from "./scope.ts";
import type { SessionAnswer } from "./session-endpoint.ts";
import { reference } from "./values.ts";

/** An unparsed call. */
export interface Request {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Reads the body; runs only once access is granted. undefined: no body. For a raw endpoint a `RawRequest`. */
  readonly body: Effect.Effect<unknown, Refusal>;
  /** Identifies the caller again after the body has arrived: meanwhile runs end and credentials are revoked. */
  readonly callerThen?: Effect.Effect<Caller, Refusal>;
  readonly idempotencyKey: string | null;
  /** The record that the path names, if the host has looked it up already (`locateBeforeCaller`). */
  readonly located?: Located | null | undefined;
  /** Where the request comes from; omitted: from this process. */
  readonly client?: Client;
  /** The host has admitted the caller by its own token, which `access` allows. */
  readonly isAdmitted?: boolean;
}

/** Where a thing is, or the thing itself, which `Endpoint.shown` has read. */
export type Located =
  | Location
  | (Pick<Location, "id" | "companyId"> & { readonly subject: unknown; readonly companyStatus?: never });

export interface Answer {
  readonly status: number;
  /** JSON-safe; for a text endpoint a string. A page is an array of rows, or of `JsonText`: each has its `row`. */
  readonly body: unknown;
  readonly nextCursor: string | null;
  /** The web session that begins; null: the session ends; undefined: no change. */
  readonly session: string | null | undefined;
  /** The feed of an endpoint that streams events; null for all others. */
  readonly feed: EventFeed | null;
}

export { ValidationFailed };

/**
 * Runs a call of HTTP, CLI or library in this order: access, parse, run, present. `name` is the endpoint's, such as
 * `issues.checkout`.
 */
export const dispatch = Effect.fnUntraced(function* (
  app: App,
  name: string,
  endpoint: Endpoint,
  callerAtFirst: Caller,
  request: Request,
) {
  const located = yield* authorise(app, endpoint, callerAtFirst, request);
  const unverified = endpoint.access.verified ? refusalOfUnverified(callerAtFirst, app.clock.now()) : null;
  if (unverified !== null) return yield* Effect.fail(unverified);
  const outOfScope = refusalOfScope(callerAtFirst, scopeOf(endpoint));
  if (outOfScope !== null) return yield* Effect.fail(outOfScope);
  const params = yield* parseParams(endpoint, located.params);
  const query = yield* parse(endpoint.query, request.query);
  const given = yield* request.body;
  const caller = yield* request.callerThen ?? Effect.succeed(callerAtFirst);
  if (caller !== callerAtFirst) yield* authorise(app, endpoint, caller, { ...request, located: undefined });
  const body = endpoint.raw === undefined ? yield* parseBody(endpoint, given) : { raw: given };
  const named = { ...params, ...query, ...body };
  const input = yield* resolveIdentifiers(app, located.companyId as CompanyId | null, named);
  const { idempotencyKey: key, client = noClient } = request;
  const { companyId } = located as { companyId: CompanyId };
  const call = { caller, by: caller.kind === "anyone" ? bySystem : actorOf(caller), companyId, client };
  const newId = () => app.ids.newId<string>() as never;
  const { shown } = endpoint;
  if (shown !== null && request.located && "subject" in request.located && caller.kind !== "anyone")
    return present(endpoint, shown.present(request.located.subject, { caller, at: app.clock.now() }));
  const { made, status }: Once =
    endpoint.creates === null || key === null || caller.kind === "anyone"
      ? { made: yield* endpoint.run(app, input, { ...call, newId }), status: null }
      : yield* carryOutOnce(app, { name, endpoint, input, call: { ...call, caller }, key });
  const answer = present(endpoint, made);
  return { ...answer, status: status ?? (endpoint.makesWhen?.(input) ? 201 : answer.status) };
});

/** Checks access and determines the company of the call. Resolves names in the path to ids. */
const authorise = Effect.fnUntraced(function* (
  app: App,
  endpoint: Endpoint,
  caller: Caller,
  request: Pick<Request, "params" | "query" | "isAdmitted" | "located">,
) {
  const { access } = endpoint;
  const nowhere = { companyId: null, params: request.params };
  if (access.anyone || request.isAdmitted) return nowhere;
  if (caller.kind === "anyone") return yield* Effect.fail(new Unauthenticated());
  const { subject } = access;
  if (subject === null) {
    const refusal = refusalOfAccess(access, caller, null);
    return refusal === null ? nowhere : yield* Effect.fail(refusal);
  }
  const named = request.params[subject.param] ?? "";
  if (subject.noun === "company") {
    const companyId = named.toLowerCase() as CompanyId;
    // Without access the answer is the same whether the company exists or not.
    if (!mayEnter(caller, companyId)) return yield* Effect.fail(new NotAllowed());
    const isUnsure = caller.kind === "board" && !caller.roles.has(companyId);
    if (isUnsure || isRefusedOfArchived(endpoint)) {
      const found = yield* locate(app, request, "company", isUuid(companyId) ? companyId : null);
      if (isUnsure && found === null) return yield* Effect.fail(new pathParams.companyId.missing());
      yield* requireRole(endpoint, caller, companyId);
      if (found !== null) yield* refuseArchived(endpoint, found);
    } else yield* requireRole(endpoint, caller, companyId);
    return { companyId, params: request.params };
  }
  const asked = yield* companyNamed(endpoint, request.query);
  const missing = pathParams[subject.param].missing;
  if (!pathParams[subject.param].schema.safeParse(named).success) return yield* Effect.fail(new missing());
  const hint = caller.kind === "agent" ? caller.companyId : asked;
  const found = yield* locate(app, request, subject.noun, named, hint);
  // A thing without access answers as missing, and so does one outside the named company.
  if (found === null || !mayEnter(caller, found.companyId) || (asked !== null && asked !== found.companyId))
    return yield* Effect.fail(new missing());
  yield* requireRole(endpoint, caller, found.companyId);
  yield* refuseArchived(endpoint, found);
  return { companyId: found.companyId, params: { ...request.params, [subject.param]: found.id } };
});

/** The company by which names in the path resolve, if the endpoint takes one in its query. */
const companyNamed = ({ query: { shape } }: Endpoint, { companyId }: Request["query"]) =>
  !("companyId" in shape) || companyId === undefined
    ? Effect.succeed(null)
    : parse(z.object({ companyId: reference<CompanyId>() }), { companyId }).pipe(
        Effect.map((named) => named.companyId as CompanyId),
      );

const mayEnter = (caller: BoardCaller | AgentCaller, companyId: CompanyId): boolean =>
  caller.kind === "agent" ? caller.companyId === companyId : roleIn(caller, companyId) !== null;

const requireRole = (endpoint: Endpoint, caller: BoardCaller | AgentCaller, companyId: CompanyId) => {
  const refusal = refusalOfAccess(endpoint.access, caller, companyId);
  return refusal === null ? Effect.void : Effect.fail(refusal);
};

/** A thing that was read instead of looked up is not changed. */
const refuseArchived = (endpoint: Endpoint, { companyStatus }: Located) =>
  isRefusedOfArchived(endpoint) && companyStatus !== undefined
    ? Effect.fromResult(takesWrites(companyStatus))
    : Effect.void;

const locate = (
  app: App,
  { located }: Pick<Request, "located">,
  noun: Subject,
  reference: string | null,
  hint: CompanyId | null = null,
): Effect.Effect<Located | null> => {
  if (reference === null) return Effect.succeed(null);
  return located === undefined ? app.views.access.locate(noun, reference, hint) : Effect.succeed(located);
};

/**
 * Looks up what the path names before the caller is known, in one packet with the credentials, or reads it where it is
 * all that the endpoint shows; null: it is not looked up, because the endpoint does not need it or the name depends on
 * the caller. Tells nothing to a caller without access.
 */
export const locateBeforeCaller = (
  app: App,
  endpoint: Endpoint,
  params: Request["params"],
): Effect.Effect<Located | null> | null => {
  const { subject, anyone: isOpen } = endpoint.access;
  if (subject === null || isOpen) return null;
  const named = params[subject.param] ?? "";
  const isNeeded = subject.noun !== "company" || isRefusedOfArchived(endpoint);
  if (!isNeeded || !(isUuid(named) || subject.noun === "issue")) return null;
  const { shown } = endpoint;
  if (shown === null || !isUuid(named)) return app.views.access.locate(subject.noun, named, null);
  return shown.read(app, named).pipe(
    Effect.map((read) => ({ id: read.id, companyId: read.companyId, subject: read })),
    Effect.catch(() => Effect.succeed(null)),
  );
};

const parseParams = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
) {
  const parsed: Partial<Record<PathParam, unknown>> = {};
  for (const name of paramNames(endpoint.path)) {
    const { schema, missing } = pathParams[name];
    const result = schema.safeParse(params[name]);
    if (!result.success) return yield* Effect.fail(new missing());
    parsed[name] = result.data;
  }
  return parsed;
});

interface BodyNode {
  readonly value: unknown;
  readonly key: string;
  readonly within: BodyNode | null;
}

/**
 * Finds a field that JavaScript treats as an object's prototype, and that readers of free-form objects drop silently.
 * Searches level by level, as `explainExcess`, which bounds the depth and the number of members.
 */
const prototypeIn = (body: unknown): readonly string[] | null => {
  let level: readonly BodyNode[] = [{ value: body, key: "", within: null }];
  while (level.length > 0) {
    level = level.flatMap((within) =>
      typeof within.value !== "object" || within.value === null
        ? []
        : Object.entries(within.value).map(([key, value]) => ({ key, value, within })),
    );
    const found = level.find(({ key }) => key === "__proto__");
    if (found !== undefined) return pathTo(found);
  }
  return null;
};

const pathTo = (node: BodyNode): readonly string[] => {
  const path: string[] = [];
  for (let at = node; at.within !== null; at = at.within) path.unshift(at.key);
  return path;
};

/** Refuses a value of a request with too many members or levels, and names the field that alone has too many. */
export const refuseExcess = (value: unknown): ValidationFailed | null => {
  const message = explainExcess(value, requestBounds);
  if (message === null) return null;
  const fields = Array.isArray(value) ? [] : Object.entries(value as object);
  const inField = { ...requestBounds, levels: requestBounds.levels - 1 };
  const field = fields.find(([, inner]) => explainExcess(inner, inField) !== null)?.[0];
  return field === undefined
    ? new ValidationFailed([{ path: [], code: "too_big", message }], `The request ${message}`)
    : new ValidationFailed([{ path: [field], code: "too_big", message }], `${field}: ${message}`);
};

const parseBody = (endpoint: Endpoint, body: unknown) => {
  // An endpoint without a body takes none, or an empty object.
  if (body === undefined && endpoint.body === null) return Effect.succeed({});
  const excess = refuseExcess(body);
  if (excess !== null) return Effect.fail(excess);
  const path = prototypeIn(body);
  if (path !== null) {
    const message = "Unknown field.";
    return Effect.fail(
      new ValidationFailed([{ path, code: "unrecognized_keys", message }], `${path.join(".")}: ${message}`),
    );
  }
  return parse(endpoint.body ?? nothing, body === undefined ? {} : body);
};

const parse = (
  schema: z.ZodObject,
  value: unknown,
): Effect.Effect<Record<string, unknown>, ValidationFailed> => {
  const result = schema.safeParse(value, missingFields);
  return result.success ? Effect.succeed(result.data) : Effect.fail(validationFailed(result.error));
};

/** The message for a missing field. */
export const missingFields = {
  error: ({ code, input }: z.core.$ZodRawIssue) =>
    code === "invalid_type" && input === undefined ? "is required" : undefined,
};

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  readonly message: string;
}

/** Limits the answer: a body can hold a hundred thousand problems. */
const mostProblems = 100;

/** Lists the problems of a value by field; `within` is the value's path in the request. */
export const validationFailed = (error: z.ZodError, within: readonly string[] = []): ValidationFailed => {
  const details = error.issues
    .slice(0, mostProblems)
    .flatMap((issue): Problem[] =>
      issue.code === "unrecognized_keys"
        ? issue.keys.slice(0, mostProblems).map((key) => ({
            path: [...within, ...issue.path, key],
            code: issue.code,
            message: "Unknown field.",
          }))
        : [{ path: [...within, ...issue.path], code: issue.code, message: issue.message }],
    )
    .slice(0, mostProblems);
  const first = details[0];
  const where = first === undefined || first.path.length === 0 ? "" : `${first.path.join(".")}: `;
  return new ValidationFailed(details, `${where}${first?.message ?? "not valid"}`);
};

const present = (endpoint: Endpoint, made: unknown): Answer => {
  const { media, status, setsSession } = endpoint;
  const plain = { status, body: made, nextCursor: null, session: undefined, feed: null };
  if (media === "events") return { ...plain, body: null, feed: made as EventFeed };
  if (media === "page") {
    const { items, next } = made as Page<unknown>;
    return { ...plain, body: items, nextCursor: next };
  }
  if (!setsSession) return plain;
  const { session, answer } = made as SessionAnswer<unknown>;
  return { ...plain, body: answer, session };
};
