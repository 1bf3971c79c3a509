import { randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addSeconds } from "../../core/model/shared/instant.ts";
import type { Claim, IdempotentRequest } from "../../ports/idempotency.ts";
import { newId, openTestStorage, type TestStorage } from "../support/builders.ts";

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());

const at = "2026-01-31T12:00:00.000Z";
const aRequest = (fields: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  scope: randomBytes(32),
  request: randomBytes(32),
  newId: newId(),
  at,
  ...fields,
});
const reserve = (request: IdempotentRequest) => Effect.runPromise(storage.idempotency.reserve(request));
const claim = async (request: IdempotentRequest): Promise<Claim> => {
  const reservation = await reserve(request);
  if (reservation.kind !== "reserved") throw new Error(`The key is not free: ${reservation.kind}.`);
  return reservation.claim;
};
const complete = (reserved: Claim, status: number, id: string, answer: object | null = null) =>
  Effect.runPromise(storage.idempotency.complete(reserved, { status, id, answer }));
const abandon = (reserved: Claim) => Effect.runPromise(storage.idempotency.abandon(reserved));
const reservedAs = (id: string, again: boolean) => ({ kind: "reserved", claim: { id }, again });
const later = (request: IdempotentRequest, seconds: number): IdempotentRequest => ({
  ...request,
  newId: newId(),
  at: addSeconds(at, seconds),
});

it("one of fifty equal requests proceeds; the others learn that it is in progress", async () => {
  const request = aRequest();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => reserve({ ...request, newId: newId() })),
  );
  expect(answers.filter(({ kind }) => kind === "reserved")).toHaveLength(1);
  expect(answers.filter(({ kind }) => kind === "in_progress")).toHaveLength(49);
});

it("a finished request is answered with its result, for 24 hours", async () => {
  const request = aRequest();
  await complete(await claim(request), 201, request.newId, { rows: ["one"] });
  const done = { kind: "done", id: request.newId, status: 201, answer: { rows: ["one"] } };
  expect(await reserve(later(request, 1))).toEqual(done);
  expect(await reserve(later(request, 24 * 3_600 - 1))).toEqual(done);
  const next = later(request, 24 * 3_600);
  expect(await reserve(next)).toMatchObject(reservedAs(next.newId, false));
});

it("a request without a recorded end is repeated under the same id", async () => {
  const request = aRequest();
  await reserve(request);
  expect(await reserve(later(request, 59))).toEqual({ kind: "in_progress" });
  expect(await reserve(later(request, 60))).toMatchObject(reservedAs(request.newId, true));
  expect(await reserve(later(request, 61))).toEqual({ kind: "in_progress" });
});

it("another request under the key is refused, whatever became of the first", async () => {
  const request = aRequest();
  const other = { ...request, request: randomBytes(32) };
  const reserved = await claim(request);
  expect(await reserve(other)).toEqual({ kind: "reused" });
  expect(await reserve(later(other, 120))).toEqual({ kind: "reused" });
  await complete(reserved, 200, request.newId);
  expect(await reserve(later(other, 120))).toEqual({ kind: "reused" });
});

it("a refused request leaves the key free", async () => {
  const request = aRequest();
  await abandon(await claim(request));
  const next = { ...request, request: randomBytes(32), newId: newId() };
  expect(await reserve(next)).toMatchObject(reservedAs(next.newId, false));
});

it("a request that lost the key to its repetition does not free it", async () => {
  const request = aRequest();
  const lost = await claim(request);
  const current = await claim(later(request, 60));
  await abandon(lost);
  expect(await reserve(later(request, 61))).toEqual({ kind: "in_progress" });
  await abandon(current);
  const next = later(request, 62);
  expect(await reserve(next)).toMatchObject(reservedAs(next.newId, false));
});

it("a request that lost the key to its repetition still stores its result", async () => {
  const request = aRequest();
  const lost = await claim(request);
  await claim(later(request, 60));
  await complete(lost, 201, request.newId);
  expect(await reserve(later(request, 61))).toMatchObject({ kind: "done", id: request.newId, status: 201 });
});

it("a request stores nothing under a key that now belongs to another", async () => {
  const request = aRequest();
  const lost = await claim(request);
  await abandon(await claim(later(request, 60)));
  const other = { ...later(request, 61), request: randomBytes(32) };
  await claim(other);
  await complete(lost, 201, request.newId);
  expect(await reserve(other)).toEqual({ kind: "in_progress" });
});

it("expired keys are deleted", async () => {
  const [old, fresh] = [aRequest(), aRequest({ at: addSeconds(at, 3_600) })];
  await reserve(old);
  await reserve(fresh);
  await Effect.runPromise(storage.idempotency.sweep(addSeconds(at, 24 * 3_600)));
  const remaining = await storage.sql`
    select scope from idempotency_keys where scope in (${old.scope}, ${fresh.scope})
  `;
  expect(remaining.map(({ scope }) => scope)).toEqual([fresh.scope]);
});
