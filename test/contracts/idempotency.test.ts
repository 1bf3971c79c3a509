import { randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addSeconds } from "../../core/shared/instant.ts";
import type { IdempotentRequest } from "../../ports/idempotency.ts";
import { type House, newId, openHouse } from "../support/builders.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const at = "2026-01-31T12:00:00.000Z";
const aRequest = (fields: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  scope: randomBytes(32),
  request: randomBytes(32),
  newId: newId(),
  at,
  ...fields,
});
const reserve = (request: IdempotentRequest) => Effect.runPromise(house.idempotency.reserve(request));
const later = (request: IdempotentRequest, seconds: number): IdempotentRequest => ({
  ...request,
  newId: newId(),
  at: addSeconds(at, seconds),
});

it("one of fifty equal requests goes on; the others are told that it is under way", async () => {
  const request = aRequest();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => reserve({ ...request, newId: newId() })),
  );
  expect(answers.filter(({ kind }) => kind === "reserved")).toHaveLength(1);
  expect(answers.filter(({ kind }) => kind === "in_progress")).toHaveLength(49);
});

it("a request that ended is answered with what it made, for 24 hours", async () => {
  const request = aRequest();
  expect(await reserve(request)).toEqual({ kind: "reserved", id: request.newId, again: false });
  await Effect.runPromise(house.idempotency.complete(request.scope, 201, request.newId));
  const done = { kind: "done", id: request.newId, status: 201 };
  expect(await reserve(later(request, 1))).toEqual(done);
  expect(await reserve(later(request, 24 * 3_600 - 1))).toEqual(done);
  const next = later(request, 24 * 3_600);
  expect(await reserve(next)).toEqual({ kind: "reserved", id: next.newId, again: false });
});

it("a request that never said how it ended is taken up under the same id", async () => {
  const request = aRequest();
  await reserve(request);
  expect(await reserve(later(request, 59))).toEqual({ kind: "in_progress" });
  expect(await reserve(later(request, 60))).toEqual({ kind: "reserved", id: request.newId, again: true });
  expect(await reserve(later(request, 61))).toEqual({ kind: "in_progress" });
});

it("another request under the key is told so, whatever became of the first", async () => {
  const request = aRequest();
  const other = { ...request, request: randomBytes(32) };
  await reserve(request);
  expect(await reserve(other)).toEqual({ kind: "reused" });
  expect(await reserve(later(other, 120))).toEqual({ kind: "reused" });
  await Effect.runPromise(house.idempotency.complete(request.scope, 200, request.newId));
  expect(await reserve(later(other, 120))).toEqual({ kind: "reused" });
});

it("a request that was refused leaves the key free", async () => {
  const request = aRequest();
  await reserve(request);
  await Effect.runPromise(house.idempotency.abandon(request.scope));
  const next = { ...request, request: randomBytes(32), newId: newId() };
  expect(await reserve(next)).toEqual({ kind: "reserved", id: next.newId, again: false });
});

it("what has expired is forgotten", async () => {
  const [old, fresh] = [aRequest(), aRequest({ at: addSeconds(at, 3_600) })];
  await reserve(old);
  await reserve(fresh);
  await Effect.runPromise(house.idempotency.sweep(addSeconds(at, 24 * 3_600)));
  const kept = await house.sql`
    select scope from idempotency_keys where scope in (${old.scope}, ${fresh.scope})
  `;
  expect(kept.map(({ scope }) => scope)).toEqual([fresh.scope]);
});
