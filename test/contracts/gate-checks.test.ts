import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runGateChecks } from "../../core/code/gates/run-gate-checks.ts";
import { type CompanyStatus, companyStatuses } from "../../core/model/companies/company.ts";
import type { IssueId, VolumeId } from "../../core/model/shared/ids.ts";
import { readGates } from "../../core/work/issues/gates/read-gates.ts";
import type { CodeStores } from "../../ports/code-stores.ts";
import {
  aCompany,
  anIssue,
  aProject,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());

const [one, two] = ["1".repeat(40), "2".repeat(40)] as const;

/** An issue with work at the first commit, whose project has a command gate. */
const issueWithGate = async (status: CompanyStatus = "active") => {
  const { id: companyId } = await aCompany(storage, { status });
  const { id: projectId } = await aProject(storage, { companyId });
  const { id } = await anIssue(storage, { companyId, projectId });
  const repositoryId = randomUUID();
  await storage.sql`
    insert into repositories (id, company_id, project_id, url, default_branch, mode, checked_at, created_at, updated_at)
    values (${repositoryId}, ${companyId}, ${projectId}, 'https://git.invalid/r.git', 'main', 'issue', now(), now(), now())
  `;
  await storage.sql`
    insert into issue_branches (
      issue_id, repository_id, company_id, branch, base_branch, base_commit, head, created_at, updated_at
    )
    values (${id}, ${repositoryId}, ${companyId}, 'boardroom/A-1', 'main', ${"0".repeat(40)}, ${one}, now(), now())
  `;
  await storage.sql`
    insert into project_gates (project_id, company_id, position, name, kind, command, timeout_sec, max_wakes)
    values (${projectId}, ${companyId}, 0, 'tests', 'command', 'make test', 60, 3)
  `;
  return id;
};

/** Looks for due gates as one service; `meanwhile` happens while a command runs. Resolves with the commits it ran at. */
const poll = async (meanwhile: () => Promise<unknown> = async () => {}) => {
  const commits: string[] = [];
  await Effect.runPromise(
    runGateChecks({
      transactor: storage.transactor,
      clock: { now: () => new Date().toISOString() },
      ids: { newId },
      codeStores: {
        isAncestor: () => Effect.succeed(true),
        publish: () => Effect.succeed(true),
      } as unknown as CodeStores,
      providers: {} as never,
      blobs: {} as never,
      endAtCommit: () => Effect.void,
      volume: "disk" as VolumeId,
      runAtCommit: ({ clones }) => {
        commits.push(...clones.map(({ commit }) => commit));
        return Effect.as(Effect.promise(meanwhile), { problem: null, durationMs: 1 });
      },
    })(),
  );
  return commits;
};

const checkOf = async (issueId: string) => {
  const [check] = await storage.sql<{ state: string; commits: string[] }[]>`
    select state, commits from gate_checks where issue_id = ${issueId}
  `;
  return check;
};
const lapse = (issueId: string) =>
  storage.sql`
    update gate_checks
    set    lease_until = now() - interval '1 minute', lapsed_at = now() - interval '1 minute'
    where  issue_id = ${issueId}
  `;

it("A gate's result counts for the commits that its command ran at, also where another service has taken over", async () => {
  const issueId = await issueWithGate();
  const seen: unknown[] = [];
  await poll(async () => {
    await storage.sql`update issue_branches set head = ${two} where issue_id = ${issueId}`;
    await lapse(issueId);
    expect(
      await poll(async () => {
        seen.push(await checkOf(issueId));
      }),
    ).toEqual([two]);
    // The one that has taken over is still at it, as far as the first service can see.
    await storage.sql`update gate_checks set state = 'running' where issue_id = ${issueId}`;
  });
  expect(seen).toEqual([{ state: "running", commits: [two] }]);
  expect(await checkOf(issueId)).toEqual({ state: "running", commits: [two] });
});

it.each(companyStatuses)(
  "A command gate of a company that is %s runs if the verdict says so",
  async (status) => {
    const issueId = await issueWithGate(status);
    const [gate] = await storage.run((stores) =>
      Effect.flatMap(stores.issues.lock(issueId as IssueId), (issue) => readGates(stores, issue, null)),
    );
    expect(gate).toMatchObject(
      {
        active: { reason: expect.not.stringContaining("company"), isPending: true },
        paused: { reason: "The command runs once the company is resumed.", isPending: true },
        archived: { reason: "The command can't run: the company is archived.", isPending: false },
      }[status],
    );
    expect(await poll()).toEqual(status === "active" ? [one] : []);
  },
);

it("A gate is not taken from a service at once when its lease ends", async () => {
  const issueId = await issueWithGate();
  await poll(async () => {
    await storage.sql`update gate_checks set lease_until = now() - interval '1 second' where issue_id = ${issueId}`;
    expect(await poll()).toEqual([]);
    expect(await poll()).toEqual([]);
  });
  expect(await checkOf(issueId)).toEqual({ state: "passed", commits: [one] });
});
