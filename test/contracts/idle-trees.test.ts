import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { VolumeId } from "../../core/model/shared/ids.ts";
import { addMillis, type Instant } from "../../core/model/shared/instant.ts";
import { aCompany, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage?.close());

const disk = "disk" as VolumeId;
const day = 24 * 3_600_000;

it("Workspaces that have to stay do not hold back the others: each is tried once a day", async () => {
  const company = await aCompany(storage);
  const used = "2026-01-01T00:00:00.000Z" as Instant;
  const at = addMillis(used, 20 * day);
  for (let nth = 0; nth < 3; nth++) {
    const { id } = await anIssue(storage, { companyId: company.id, status: "done" });
    await storage.sql`
      insert into issue_workspaces (id, company_id, issue_id, volume, run_id, clones, made_at, used_at, created_at)
      values (${newId()}, ${company.id}, ${id}, ${disk}, ${newId()}, '[]', ${used}, ${addMillis(used, nth)}, ${used})
    `;
  }
  const take = (now: Instant) =>
    Effect.runPromise(
      storage.transactor.transact(({ issueWorkspaces }) =>
        issueWorkspaces.takeIdle(
          disk,
          { at: now, usedBefore: addMillis(now, -14 * day), triedBefore: addMillis(now, -day) },
          2,
        ),
      ),
    );
  const first = await take(at);
  const second = await take(addMillis(at, 1));
  expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([2, 1, 3]);
  expect(await take(addMillis(at, 2))).toEqual([]);
  expect((await take(addMillis(at, day + 1))).toSorted()).toEqual(first.toSorted());
});
